import { useMediaQuery } from '@mantine/hooks';

/** Whether a table has room for its main columns only, as with `hiddenFrom="sm"`. */
export const useIsNarrow = (): boolean =>
  !useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false });
