import { queryOptions } from "@tanstack/react-query";

import { api, body } from "./call";

/** The config in force. */
export const configQuery = queryOptions({ queryKey: ["config"], queryFn: () => body(api.GET("/api/config")) });
