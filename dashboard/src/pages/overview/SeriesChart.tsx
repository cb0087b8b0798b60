import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { KINDS, type Point } from './series';

/** Colour is not the only difference. */
const LINES = {
  sent: { color: 'cyan.7' },
  delivered: { color: 'teal.6', strokeDasharray: '6 3' },
  failed: { color: 'red.7' },
  received: { color: 'violet.6', strokeDasharray: '2 3' },
} as const;

export default function SeriesChart(props: {
  readonly points: readonly Point[];
  readonly labelOf: (point: Point) => string;
}) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <AreaChart
      aria-hidden
      h={240}
      data={props.points.map((point) => ({ ...point, at: props.labelOf(point) }))}
      dataKey="at"
      series={KINDS.map((kind) => ({ name: kind, label: t(`overview.kind.${kind}`), ...LINES[kind] }))}
      curveType="monotone"
      fillOpacity={0.06}
      withDots={false}
      withLegend
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      valueFormatter={(value) => number.format(value)}
      yAxisProps={{ allowDecimals: false, width: 48 }}
      xAxisProps={{ minTickGap: 28 }}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
      areaProps={{ isAnimationActive: false }}
    />
  );
}
