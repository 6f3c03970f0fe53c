// Runs before the page is painted. What is chosen in the settings wins over what the system says.
try {
  const chosen = localStorage.getItem("iris.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off; then the system decides.
}
