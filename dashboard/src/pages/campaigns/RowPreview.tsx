import { Box, Group, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shortPartsNote } from '../../components/part-size';
import type { CampaignRow, Refusal } from './campaign-rows';
import { refusalText } from './RefusedRows';

const ROW_HEIGHT = 45;
/** A cell of a hostile file may have any length. */
const MAX_SHOWN = 2_000;

/** Each row with its text, or why it is refused. */
export default function RowPreview({ rows }: { readonly rows: readonly CampaignRow[] }) {
  const { t, i18n } = useTranslation();
  const refused = rows.filter(({ refusal }) => refusal);
  const [showsRefused, setShowsRefused] = useState(false);
  const shown = showsRefused && refused.length > 0 ? refused : rows;
  const viewport = useRef<HTMLDivElement>(null);

  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const items = list.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = list.getTotalSize() - (items.at(-1)?.end ?? 0);
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>{t('campaigns.preview')}</Title>
        {refused.length > 0 && (
          <SegmentedControl
            aria-label={t('campaigns.whichRows')}
            value={showsRefused ? 'refused' : 'all'}
            onChange={(value) => setShowsRefused(value === 'refused')}
            data={[
              { value: 'all', label: t('campaigns.allRows', { number: number.format(rows.length) }) },
              {
                value: 'refused',
                label: t('campaigns.refusedRows', { number: number.format(refused.length) }),
              },
            ]}
          />
        )}
      </Group>
      <Box
        ref={viewport}
        mah={420}
        tabIndex={0}
        role="region"
        aria-label={t('campaigns.preview')}
        style={{ overflow: 'auto', border: '1px solid var(--mantine-color-default-border)', borderRadius: 8 }}
      >
        <Table
          stickyHeader
          miw={560}
          aria-label={t('campaigns.preview')}
          aria-rowcount={shown.length + 1}
          layout="fixed"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={70}>{t('campaigns.line')}</Table.Th>
              <Table.Th w={170}>{t('campaigns.number')}</Table.Th>
              <Table.Th>{t('send.text')}</Table.Th>
              <Table.Th w={110}>{t('campaigns.parts')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {before > 0 && <tr aria-hidden style={{ height: before }} />}
            {items.map(({ index }) => {
              const row = shown[index];
              return (
                row && (
                  <Table.Tr
                    key={index}
                    data-index={index}
                    ref={list.measureElement}
                    aria-rowindex={index + 2}
                    style={{ verticalAlign: 'top' }}
                  >
                    <Table.Td className="numeric">{row.line}</Table.Td>
                    <Table.Td>
                      <Text size="sm" lineClamp={2} className="outside-text numeric">
                        {row.number.slice(0, MAX_SHOWN)}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      {row.refusal && <RefusalText refusal={row.refusal} />}
                      {row.text && (
                        <Text size="sm" lineClamp={3} className="outside-text" c={row.refusal && 'dimmed'}>
                          {row.text.slice(0, MAX_SHOWN)}
                        </Text>
                      )}
                    </Table.Td>
                    <Table.Td>
                      {!row.refusal && (
                        <Text size="sm" className="numeric" style={{ whiteSpace: 'nowrap' }}>
                          {row.parts}
                          {shortPartsNote(t, row.encoding)}
                        </Text>
                      )}
                    </Table.Td>
                  </Table.Tr>
                )
              );
            })}
            {after > 0 && <tr aria-hidden style={{ height: after }} />}
          </Table.Tbody>
        </Table>
      </Box>
    </Stack>
  );
}

function RefusalText({ refusal }: { readonly refusal: Refusal }) {
  const { t } = useTranslation();
  return (
    <Group gap={6} wrap="nowrap" c="red" align="flex-start">
      <IconAlertTriangle size={16} style={{ flexShrink: 0, marginTop: 2 }} aria-hidden />
      <Text size="sm" lineClamp={3} className="outside-text" c="red">
        {refusalText(t, refusal)}
      </Text>
    </Group>
  );
}
