/** Line icons on a grid of 16, drawn for this page. */
import type { ReactNode } from 'react';

function icon(children: ReactNode): () => ReactNode {
  return () => (
    <svg viewBox="0 0 16 16" width="16" height="16" className="icon" aria-hidden="true">
      {children}
    </svg>
  );
}

export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const BackIcon = icon(<path d="M10 3 5 8l5 5" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1" />
  </>,
);
export const MoonIcon = icon(<path d="M13 9.500A5.500 5.500 0 1 1 6.500 3 4.500 4.500 0 0 0 13 9.500Z" />);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4" />
    <path d="m10 10 3.500 3.500" />
  </>,
);
export const HomeIcon = icon(<path d="M2 3.500h5v4H2zM9 3.500h5v4H9zM2 9.500h5v4H2zM9 9.500h5v4H9z" />);
export const TerminalIcon = icon(<path d="m3 4.500 3.500 3.500L3 11.500M8.500 12H13" />);
export const ClockIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 4.500V8l2.500 1.500" />
  </>,
);
export const TextIcon = icon(<path d="M2.500 4h11M2.500 8h11M2.500 12h7" />);
export const CardsIcon = icon(<path d="M2.500 2.500h11v4h-11zM2.500 9.500h11v4h-11zM5 4.500h4M5 11.500h6" />);
export const FolderIcon = icon(<path d="M2 4.500h4l1.500 2H14v6.500H2z" />);
export const FileIcon = icon(<path d="M4 2h5l3 3v9H4zM9 2v3h3" />);
export const DiffIcon = icon(<path d="M8 2.500v6M5 5.500h6M5 12.500h6" />);
export const PinIcon = icon(<path d="M6 2.500h4l-.5 4 2 2.500h-7l2-2.500zM8 9v4.500" />);
export const PenIcon = icon(<path d="m3 13 .8-3L11 2.800 13.200 5 6 12.200z" />);
export const ArchiveIcon = icon(<path d="M2 3.500h12v3H2zM3 6.500v6.500h10V6.500M6.500 9h3" />);
export const BellIcon = icon(<path d="M4 11V7.500a4 4 0 0 1 8 0V11l1.500 1.500h-11zM6.800 14h2.400" />);
export const OpenIcon = icon(<path d="M6 3h7v7M13 3 4.500 11.500" />);
export const CloseIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
export const WebIcon = icon(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M2 8h12M8 2c-4.500 4-4.500 8 0 12M8 2c4.500 4 4.500 8 0 12" />
  </>,
);
export const SummaryIcon = icon(<path d="M3.500 2h9v12h-9zM6 5.500h4M6 8h4M6 10.500h2.500" />);
export const PipeIcon = icon(<path d="M2 5.500h12M2 10.500h12M4.500 3.500v4M11.500 8.500v4" />);
export const RepeatIcon = icon(<path d="M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500" />);
export const MoreIcon = icon(<path d="M3 8h.01M8 8h.01M13 8h.01" strokeWidth="2.500" />);

export function Brand() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" className="brand-mark" aria-hidden="true">
      <path className="flange" d="M6 7h20M6 25h20" />
      <path className="thread" d="m9.500 12 13-1.800m-13 5.200 13-1.800m-13 5.200 13-1.800m-13 4.600 13-1.800" />
    </svg>
  );
}
export const GearIcon = icon(
  <path d="M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M8 2.500v4h2.500v-4zM4 9.500v4h2.500v-4z" />,
);
