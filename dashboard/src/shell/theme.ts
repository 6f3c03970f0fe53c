import { Watched } from "@/api/watch";

export type Theme = "system" | "light" | "dark";

/** Kept as a plain word, because theme.js reads it before anything else runs. */
export const theme = new Watched<Theme>((document.documentElement.dataset["theme"] as Theme | undefined) ?? "system");

/** The bar that a browser or a system draws around the page goes with what was chosen, not with what the system says. */
const BARS = { light: "#fbfbfa", dark: "#0f1012" };

function paintBar() {
  const chosen = theme.get();
  for (const bar of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) bar.content = BARS[chosen === "system" ? (bar.media.includes("dark") ? "dark" : "light") : chosen];
}

paintBar();
theme.subscribe(() => {
  const chosen = theme.get();
  paintBar();
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  try {
    localStorage.setItem("iris.theme", chosen);
  } catch {
    // Then it holds until the page is closed.
  }
});
