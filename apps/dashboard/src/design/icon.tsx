const paths = {
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  alert: 'M12 8v5m0 3.5v.01M10.3 3.9 2.4 17.6A2 2 0 0 0 4.1 20.6h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  book: 'M4 5a2 2 0 0 1 2-2h14v16H6a2 2 0 0 0-2 2V5Zm0 16a2 2 0 0 0 2 2h14v-4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevronDown: 'm6 9 6 6 6-6',
  chevronUp: 'm6 15 6-6 6 6',
  chevronRight: 'm9 6 6 6-6 6',
  close: 'M6 6l12 12M18 6 6 18',
  columns: 'M4 4h16v16H4zM12 4v16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  cube: 'm12 3 8 4.5v9L12 21l-8-4.5v-9L12 3Zm0 9 8-4.5M12 12v9m0-9L4 7.5',
  download: 'M12 4v11m-4-4 4 4 4-4M4 20h16',
  edit: 'M4 20v-4L15.5 4.5l4 4L8 20H4Zm8.5-12.5 4 4',
  home: 'M4 11.5 12 4l8 7.5V20h-5.5v-5.5h-5V20H4v-8.5Z',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15 9.01V9',
  inbox: 'M4 13h4.5l1.5 3h4l1.5-3H20M4 13l2.5-8h11L20 13v6H4v-6Z',
  key: 'M14.5 9.5a4.5 4.5 0 1 1-4.300-4.5 4.5 4.5 0 0 1 4.300 4.5ZM13.200 12.700 20 19.5M17 16.5l2-2M10 9.5v.01',
  layers: 'm12 3 9 5-9 5-9-5 9-5Zm-9 9.5 9 5 9-5',
  list: 'M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  message: 'M4 5h16v11H10l-4.5 4v-4H4V5Z',
  monitor: 'M3 5h18v11H3zM9 20h6m-3-4v4',
  more: 'M5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0m6 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0m6 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z',
  open: 'M14 4h6v6m0-6-9 9M18 14v6H4V6h6',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 11a8 8 0 1 0-2.300 6.300M20 4v7h-7',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm9.5 3-4.900-4.900',
  send: 'M12 19V6m-6 5 6-6 6 6',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5v.01M8 16.5v.01',
  settings: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 7m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9 17m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  shield: 'M12 3 5 6v6c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6l-7-3Z',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-13v2m0 14v2M3 12h2m14 0h2M5.600 5.600 7 7m10 10 1.400 1.400m0-12.800L17 7M7 17l-1.400 1.400',
  trash: 'M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13',
  user: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  users:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6.5 8a6.5 6.5 0 0 1 13 0M16 4.800a3.5 3.5 0 0 1 0 6.400M18 14.300a6.5 6.5 0 0 1 3.5 5.200',
} as const;
export type IconName = keyof typeof paths;

/** Decoration beside a text, or inside something that has a name of its own. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}
