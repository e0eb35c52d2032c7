/** Makes the page as high as its visible part: a phone's keyboard makes it shorter, and hides no content. Keeps PAGE-12. */
export function followViewport(): void {
  const view = window.visualViewport;
  if (view === null) return;
  const apply = (): void => {
    // A user who has zoomed in with two fingers sees a part: the page stays unchanged.
    if (view.scale > 1.01) return;
    document.documentElement.style.setProperty('--height', `${Math.round(view.height)}px`);
    window.scrollTo(0, 0);
  };
  view.addEventListener('resize', apply);
  view.addEventListener('scroll', apply);
  apply();
}
