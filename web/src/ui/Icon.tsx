import type { ReactNode } from 'react';

const PATHS = {
  attach: 'M20 11.5 12 19.5a5 5 0 0 1-7-7l8.5-8.5a3.4 3.4 0 0 1 4.8 4.8L10 17a1.8 1.8 0 0 1-2.5-2.5L15 7',
  branch: 'M6 4v10M6 14a4 4 0 0 0 4 4h8M6 9a4 4 0 0 0 4-1h8M15 5l3 3-3 3M15 15l3 3-3 3',
  check: 'M5 12.5 10 17.5 19 7.5',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  gauge: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  left: 'M15 5l-7 7 7 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M19 14.5A8 8 0 0 1 9.5 5a8 8 0 1 0 9.500 9.500z',
  more: 'M5 11.500a.500.500 0 1 0 0 1 .500.500 0 0 0 0-1zM12 11.500a.500.500 0 1 0 0 1 .500.500 0 0 0 0-1zM19 11.500a.500.500 0 1 0 0 1 .500.500 0 0 0 0-1z',
  plus: 'M12 5v14M5 12h14',
  retry: 'M19 12a7 7 0 1 1-2.200-5.100M17 3v4h-4',
  right: 'M9 5l7 7-7 7',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500 20 20',
  send: 'M12 19V6M6 11.500 12 5.500l6 6',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  tool: 'M14 6a4 4 0 0 1 5.500 5L20 11.500 11.500 20 8 16.500 16.500 8M8 16.500 5 20',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  unplug: 'M4 20l5-5M15 9l5-5M7 13l4 4M9 11l2.500-2.500M13 15l2.500-2.500M11 5l8 8',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture that says nothing by itself; what it stands beside, or the label of its button, does. */
export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
