import { Watched } from "@/api/watch";

export type Theme = "system" | "light" | "dark";

/** Kept as a plain word, because theme.js reads it before anything else runs. */
export const theme = new Watched<Theme>((document.documentElement.dataset["theme"] as Theme | undefined) ?? "system");

theme.subscribe(() => {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  try {
    localStorage.setItem("iris.theme", chosen);
  } catch {
    // Then it holds until the page is closed.
  }
});
