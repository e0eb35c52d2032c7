/** The page is as high as what is seen of it: a phone's keyboard makes it shorter, and hides nothing. Keeps PAGE-12. */
export function followViewport(): void {
  const view = window.visualViewport;
  if (view === null) return;
  const apply = (): void => {
    // A user who has zoomed in with two fingers looks at a part: the page stays as it is.
    if (view.scale > 1.01) return;
    document.documentElement.style.setProperty('--height', `${Math.round(view.height)}px`);
    window.scrollTo(0, 0);
  };
  view.addEventListener('resize', apply);
  view.addEventListener('scroll', apply);
  apply();
}
