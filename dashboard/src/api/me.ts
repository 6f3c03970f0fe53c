// Who is signed in.
import { queryOptions } from "@tanstack/react-query";

import { api, body } from "./call";

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => body(api.GET("/api/me")) });
