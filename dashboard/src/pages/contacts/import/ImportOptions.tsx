import { Autocomplete, Group, Radio, Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listListsOptions } from '../../../../generated/@tanstack/react-query.gen';

const MAX_LIST_NAME = 64;
const MAX_TAGS = 10;

export interface Options {
  readonly kind: 'contacts' | 'suppressions';
  readonly list: string;
  readonly tags: readonly string[];
  readonly onExisting: 'update' | 'skip';
}

export const DEFAULT_OPTIONS: Options = { kind: 'contacts', list: '', tags: [], onExisting: 'update' };

/** What the people of a file become. */
export function ImportOptions(props: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const { t } = useTranslation();
  const { options, onChange } = props;
  const lists = useQuery(listListsOptions());
  const names = (lists.data?.data ?? []).filter(({ segment }) => !segment).map(({ name }) => name);
  const isContacts = options.kind === 'contacts';
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('imports.kind')}
        value={options.kind}
        onChange={(kind) => onChange({ ...options, kind: kind })}
      >
        <Group gap="lg" mt={4}>
          <Radio value="contacts" label={t('imports.kinds.contacts')} />
          <Radio value="suppressions" label={t('imports.kinds.suppressions')} />
        </Group>
      </Radio.Group>
      {isContacts ? (
        <>
          <Group gap="md" align="flex-start">
            <Autocomplete
              label={t('imports.list')}
              description={t('imports.listHint')}
              data={[...new Set(names)]}
              maxLength={MAX_LIST_NAME}
              value={options.list}
              onChange={(list) => onChange({ ...options, list })}
              style={{ flex: '1 1 240px' }}
            />
            <TagsInput
              label={t('imports.tags')}
              description={t('imports.tagsHint')}
              maxTags={MAX_TAGS}
              value={[...options.tags]}
              onChange={(tags) => onChange({ ...options, tags })}
              style={{ flex: '1 1 240px' }}
            />
          </Group>
          <Radio.Group
            label={t('imports.existing')}
            value={options.onExisting}
            onChange={(value) => onChange({ ...options, onExisting: value })}
          >
            <Stack gap="xs" mt={4}>
              <Radio value="update" label={t('imports.existingChoices.update')} />
              <Radio value="skip" label={t('imports.existingChoices.skip')} />
            </Stack>
          </Radio.Group>
        </>
      ) : (
        <Text size="sm">{t('imports.suppressionsHint')}</Text>
      )}
    </Stack>
  );
}
