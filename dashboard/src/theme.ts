import {
  alpha,
  createTheme,
  darken,
  type CSSVariablesResolver,
  DEFAULT_THEME,
  type MantineColorsTuple,
  type MantineThemeOverride,
  mergeThemeOverrides,
} from '@mantine/core';

const BRAND: MantineColorsTuple = [
  '#e3f7fa',
  '#cdeaf0',
  '#9dd4de',
  '#69bccb',
  '#42a8bb',
  '#2a9cb1',
  '#1896ac',
  '#0b7285',
  '#07606f',
  '#004c5a',
];

/** The header of a dialog is not one of the page, as a screen reader would say. */
const DIALOG = {
  defaultProps: { attributes: { header: { role: 'presentation' } } },
  styles: {
    title: {
      fontWeight: 650,
      display: '-webkit-box',
      WebkitBoxOrient: 'vertical' as const,
      WebkitLineClamp: 3,
      overflow: 'hidden',
    },
  },
};

const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 8 },
  colors: { brand: BRAND },
  autoContrast: true,
  luminanceThreshold: 0.35,
  cursorType: 'pointer',
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  components: {
    Modal: DIALOG,
    Drawer: DIALOG,
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    // What comes from outside may be wider than its alert.
    Alert: { styles: { body: { minWidth: 0 } } },
    Card: { defaultProps: { withBorder: true, radius: 'md', padding: 'md' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

/** @param names of buttons that show an icon only, for those who hear the page. */
export function themeWithNames(names: {
  readonly close: string;
  readonly clear: string;
}): MantineThemeOverride {
  const close = { defaultProps: { closeButtonProps: { 'aria-label': names.close } } };
  const clear = { defaultProps: { clearButtonProps: { 'aria-label': names.clear } } };
  return mergeThemeOverrides(theme, {
    components: {
      Modal: close,
      Drawer: close,
      Select: clear,
      MultiSelect: clear,
      TagsInput: clear,
      DatePickerInput: clear,
    },
  });
}

const COLORS = [...Object.keys(DEFAULT_THEME.colors).filter((name) => name !== 'dark'), 'brand'];

/** Mantine's light variants and dimmed texts have less contrast than WCAG AA asks for. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const shades = (text: number, outline: number, darker = 0) =>
    Object.fromEntries(
      COLORS.flatMap((name) => [
        [`--mantine-color-${name}-light-color`, darken(colors[name]?.[text] ?? '', darker)],
        [`--mantine-color-${name}-text`, darken(colors[name]?.[text] ?? '', darker)],
        [`--mantine-color-${name}-outline`, colors[name]?.[outline] ?? ''],
      ]),
    );
  return {
    variables: {},
    light: {
      // The darkest yellow is too light for text.
      ...shades(9, 8, 0.3),
      '--mantine-color-dimmed': colors.gray[7],
      '--mantine-color-placeholder': colors.gray[7],
      '--mantine-color-error': colors.red[9],
      '--mantine-color-red-filled': colors.red[8],
      '--mantine-color-red-filled-hover': colors.red[9],
      '--mantine-color-anchor': colors.brand?.[8] ?? '',
      '--page-background': colors.gray[0],
    },
    dark: {
      ...shades(2, 4),
      // Saturated areas outshine what is on them.
      ...Object.fromEntries(
        COLORS.filter((name) => name !== 'gray').map((name) => [
          `--mantine-color-${name}-light`,
          alpha(colors[name]?.[6] ?? '', 0.16),
        ]),
      ),
      '--mantine-color-dimmed': colors.dark[1],
      '--mantine-color-placeholder': colors.dark[1],
      '--mantine-color-error': colors.red[4],
      '--mantine-color-anchor': colors.brand?.[3] ?? '',
      '--page-background': colors.dark[8],
    },
  };
};
