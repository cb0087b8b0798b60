import { Text, Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useRelativeTime, useTimeFormat } from '../../../components/Time';

const REFRESH_MS = 10_000;

/** How long ago something happened; keeps counting. */
export function Ago({ value }: { readonly value: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), REFRESH_MS, { autoInvoke: true });
  const relative = useRelativeTime();
  const { long } = useTimeFormat();
  // The clocks of the service and of the browser may differ a little.
  const shown = Math.min(new Date(value).getTime(), now);
  return (
    <Tooltip label={long(value)}>
      <Text component="time" dateTime={value} inherit className="numeric">
        {relative(new Date(shown), now)}
      </Text>
    </Tooltip>
  );
}
