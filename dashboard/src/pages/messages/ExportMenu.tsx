import { Button, Menu, Text } from '@mantine/core';
import { IconCode, IconDownload, IconTable } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { BASE_PATH } from '../../api/base-path';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { useTimeZone } from '../../preferences/time-zone';
import type { Selection } from './export/save-readable';
import { type Filters, toQueryString } from './filters';

/** Downloads what the filters select: as a table for people, or with every field for programs. */
export function ExportMenu({ filters }: { readonly filters: Filters }) {
  const { t, i18n } = useTranslation();
  const [timeZone] = useTimeZone();
  const save = useMutation({
    mutationFn: async () => {
      const { saveReadable } = await import('./export/save-readable');
      await saveReadable(t, { ...filters, ...WITH_DELETED_DEVICES } as Selection, {
        language: i18n.language,
        timeZone,
      });
    },
  });
  const forPrograms = new URLSearchParams(toQueryString(filters));
  for (const [name, value] of Object.entries(WITH_DELETED_DEVICES)) forPrograms.set(name, value);
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={save.isPending}
        >
          {t('messages.exports.action')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconTable size={18} aria-hidden />} onClick={() => save.mutate()}>
          <Choice title={t('messages.exports.readable')} text={t('messages.exports.readableHint')} />
        </Menu.Item>
        <Menu.Item
          component="a"
          href={`${BASE_PATH}/api/v1/gateway/messages/export?${forPrograms.toString()}`}
          download
          leftSection={<IconCode size={18} aria-hidden />}
        >
          <Choice title={t('messages.exports.programs')} text={t('messages.exports.programsHint')} />
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      {title}
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </>
  );
}
