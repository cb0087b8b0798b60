import {
  Anchor,
  Card,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getSeries } from '../../../generated';
import { getSeriesQueryKey } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { useTimeFormat } from '../../components/Time';
import { type Filters, statusFilters } from '../messages/filters';
import { type Kind, type Point, pointsOf, queryOf, shownKinds, type Span, SPANS, sumOf } from './series';

const SeriesChart = lazy(() => import('./SeriesChart'));

const LINKS: Readonly<Record<Kind, Filters>> = {
  sent: { direction: 'sent' },
  delivered: statusFilters('delivered'),
  failed: statusFilters('failed'),
  cancelled: statusFilters('cancelled'),
  suppressed: statusFilters('suppressed'),
  received: { direction: 'received' },
};

/** What was sent, delivered, received or not sent, in figures and as a chart. */
export function Figures() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search: { readonly span?: unknown } = useSearch({ strict: false });
  const span = SPANS.find((each) => each === search.span) ?? 'day';
  const { timeZone } = useTimeFormat();
  return (
    <section aria-label={t('overview.figures')}>
      <Group justify="space-between" mb="sm" gap="xs">
        <div>
          <Title order={2}>{t('overview.figures')}</Title>
          {span === 'month' && (
            <Text size="sm" c="dimmed">
              {t('overview.daysOf', { zone: timeZone })}
            </Text>
          )}
        </div>
        <SegmentedControl
          size="xs"
          aria-label={t('overview.span')}
          value={span}
          onChange={(value) =>
            void navigate({ to: '/', search: value === 'day' ? {} : { span: value }, resetScroll: false })
          }
          data={SPANS.map((value) => ({ value, label: t(`overview.spans.${value}`) }))}
        />
      </Group>
      <SpanFigures key={span} span={span} timeZone={timeZone} />
    </section>
  );
}

function SpanFigures({ span, timeZone }: { readonly span: Span; readonly timeZone: string }) {
  const { t, i18n } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 60_000, { autoInvoke: true });
  const series = useQuery(seriesOptions(span, queryOf(span, now)));
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <QueryState query={series}>
      {({ data }) => {
        const points = pointsOf(data, span, timeZone);
        const sums = sumOf(points);
        const kinds = shownKinds(sums);
        const attempts = sums.sent + sums.failed;
        const shareOf = (part: number) =>
          part > 0 && part <= attempts
            ? t('overview.shareOfSent', { share: percent.format(part / attempts) })
            : ' ';
        return (
          <Card>
            <SimpleGrid cols={{ base: 2, sm: kinds.length }} mb="md" component="dl" m={0}>
              {kinds.map((kind) => (
                <Stack key={kind} gap={0}>
                  <Text size="sm" c="dimmed" component="dt">
                    {t(`overview.kind.${kind}`)}
                  </Text>
                  <Text fz={28} fw={650} lh={1.3} component="dd" m={0} className="numeric">
                    <Anchor
                      renderRoot={(root) => <Link to="/messages" search={LINKS[kind]} {...root} />}
                      inherit
                      c={kind === 'failed' && sums.failed > 0 ? 'var(--mantine-color-red-text)' : 'inherit'}
                      aria-label={`${t(`overview.kind.${kind}`)}: ${number.format(sums[kind])}`}
                    >
                      {number.format(sums[kind])}
                    </Anchor>
                  </Text>
                  <Text size="xs" c="dimmed" className="numeric" component="dd" m={0}>
                    {kind === 'delivered' ? shareOf(sums.delivered) : ' '}
                  </Text>
                </Stack>
              ))}
            </SimpleGrid>
            <Chart kinds={kinds} points={points} span={span} />
          </Card>
        );
      }}
    </QueryState>
  );
}

function seriesOptions(span: Span, query: ReturnType<typeof queryOf>) {
  // Thirty days are 722 hours: they are read again from time to time, and not at each message.
  const queryKey: QueryKey = span === 'day' ? getSeriesQueryKey({ query }) : ['series-of-days', query];
  return {
    queryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }) =>
      (await getSeries({ query, signal, throwOnError: true })).data,
    placeholderData: keepPreviousData,
  };
}

function Chart(props: {
  readonly kinds: readonly Kind[];
  readonly points: readonly Point[];
  readonly span: Span;
}) {
  const { kinds, points, span } = props;
  const { t, i18n } = useTranslation();
  const { timeZone, short } = useTimeFormat();
  const number = new Intl.NumberFormat(i18n.language);
  const day = new Intl.DateTimeFormat(i18n.language, { timeZone, day: 'numeric', month: 'short' });
  const labelOf = ({ at }: Point) => (span === 'day' ? short(at, false) : day.format(new Date(at)));
  return (
    <>
      <Suspense fallback={<Skeleton height={240} />}>
        <SeriesChart kinds={kinds} points={points} labelOf={labelOf} />
      </Suspense>
      <VisuallyHidden>
        <table>
          <caption>{t('overview.tableOf', { span: t(`overview.spans.${span}`) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('overview.time')}</th>
              {kinds.map((kind) => (
                <th key={kind} scope="col">
                  {t(`overview.kind.${kind}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.at}>
                <th scope="row">{labelOf(point)}</th>
                {kinds.map((kind) => (
                  <td key={kind}>{number.format(point[kind])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
