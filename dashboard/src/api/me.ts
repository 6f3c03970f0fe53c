// Who is signed in.
import { queryOptions } from "@tanstack/react-query";

import { api, body, setCsrf } from "./call";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => {
    const me = await body(api.GET("/api/me"));
    setCsrf(me.csrf ?? "");
    return me;
  },
});
