"use strict";
for (const button of document.querySelectorAll("button[data-in]")) {
  const folds = document.getElementById(button.dataset.in).querySelectorAll("details");
  const say = () => {
    const open = [...folds].every((each) => each.open);
    button.textContent = open ? button.dataset.hide : button.dataset.show;
    return open;
  };
  for (const each of folds) each.addEventListener("toggle", say);
  button.addEventListener("click", () => {
    const open = !say();
    for (const each of folds) each.open = open;
    say();
  });
  button.hidden = false;
}
