"use strict";
(() => {
  const filters = document.querySelector("#controls details");
  if (filters && matchMedia("(max-width: 39.99rem)").matches) filters.open = Boolean(location.search);
  // A key clicks what it is written on; after that the page is on its way out.
  let left = false;
  addEventListener("pageshow", () => { left = false; });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target.closest("input, select, textarea, button, a");
    if (target && (event.key === "Enter" || target.matches("input, select, textarea"))) return;
    const element = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!element) return;
    event.preventDefault();
    if (element.matches("input")) {
      filters.open = true;
      return element.focus();
    }
    if (!left) element.click();
    left = true;
  });
})();
