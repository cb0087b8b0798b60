import { useTranslation } from 'react-i18next';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** @returns a time span in its largest unit, such as `3 hours`. */
export function formatDuration(ms: number, language: string): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(ms / size),
  );
}

export function useDuration() {
  const { i18n } = useTranslation();
  return (ms: number) => formatDuration(ms, i18n.language);
}
