import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

const CLOCK_MS = 30_000;

/** The time in milliseconds since 1970, read again every 30 s, for texts that say how long something takes. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), CLOCK_MS, { autoInvoke: true });
  return now;
}
