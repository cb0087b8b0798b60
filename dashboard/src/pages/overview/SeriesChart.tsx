import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { MESSAGE_COLORS } from '../../components/MessageStatusBadge';
import type { Kind, Point } from './series';

/** What went out and what did not is one bar; delivered messages were counted as sent before, and have their own. */
const BARS: Readonly<Record<Kind, string>> = {
  sent: 'out',
  failed: 'out',
  cancelled: 'out',
  suppressed: 'out',
  delivered: 'delivered',
  received: 'received',
};

export default function SeriesChart(props: {
  readonly kinds: readonly Kind[];
  readonly points: readonly Point[];
  readonly labelOf: (point: Point) => string;
}) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <BarChart
      aria-hidden
      h={240}
      data={props.points.map((point) => ({ ...point, at: props.labelOf(point) }))}
      dataKey="at"
      series={props.kinds.map((kind) => ({
        name: kind,
        label: t(`overview.kind.${kind}`),
        color: `${MESSAGE_COLORS[kind]}.6`,
        stackId: BARS[kind],
      }))}
      withLegend
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      valueFormatter={(value) => number.format(value)}
      yAxisProps={{ allowDecimals: false, width: 48 }}
      xAxisProps={{ minTickGap: 28 }}
      maxBarWidth={18}
      barChartProps={{ accessibilityLayer: false, margin: { top: 10 }, barGap: 1 }}
      barProps={{ isAnimationActive: false }}
    />
  );
}
