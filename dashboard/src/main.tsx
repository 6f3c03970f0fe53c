import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queries } from "@/api/ask";
import { whenSignedOut } from "@/api/call";
import { connection } from "@/api/live";
import { doubt } from "@/api/me";
import { remember } from "@/login/wanted";
import { router } from "@/router";

import "./style.css";

const leave = () => {
  const { pathname, href } = router.state.location;
  if (pathname === "/login") return;
  doubt();
  remember(href);
  void router.navigate({ to: "/login" });
};
whenSignedOut(leave);
connection.subscribe(() => connection.get().state === "signed-out" && leave());

const root = document.getElementById("root");
if (!root) throw new Error("index.html has a root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
