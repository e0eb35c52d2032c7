/**
 * Makes the page as high as its visible part, so that a phone's keyboard shortens the page instead of hiding content. Keeps
 * PAGE-12.
 */
export function followViewport(): void {
  const view = window.visualViewport;
  if (view === null) return;
  const apply = (): void => {
    // A user who has zoomed in with two fingers sees a part of the page, which then stays unchanged.
    if (view.scale > 1.01) return;
    document.documentElement.style.setProperty('--height', `${Math.round(view.height)}px`);
    window.scrollTo(0, 0);
  };
  view.addEventListener('resize', apply);
  view.addEventListener('scroll', apply);
  apply();
}
