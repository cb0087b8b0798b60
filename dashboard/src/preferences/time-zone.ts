import { useLocalStorage } from '@mantine/hooks';

const LOCAL = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone that times are shown in: that of the browser unless the person chose one. */
export function useTimeZone() {
  return useLocalStorage({ key: 'time-zone', defaultValue: LOCAL, getInitialValueInEffect: false });
}

export const TIME_ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];
