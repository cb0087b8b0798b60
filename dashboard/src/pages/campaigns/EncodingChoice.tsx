import { Alert, Button, Select, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OLD_ENCODINGS, type OldEncoding } from '../../../../src/common/csv/csv-format';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { guessEncoding, sampleOf } from './old-encodings';

/** The encoding of a file that is not in Unicode, with lines of it as they would be read. @param start of the file. */
export function EncodingChoice({
  start,
  onChoose,
}: {
  readonly start: ArrayBuffer;
  readonly onChoose: (encoding: OldEncoding) => void;
}) {
  const { t, i18n } = useTranslation();
  const { defaultCountry } = useSuspenseQuery(whoAmIOptions()).data.data;
  const [encoding, setEncoding] = useState(() =>
    guessEncoding([
      ...(defaultCountry === undefined ? [] : [`und-${defaultCountry}`]),
      i18n.language,
      ...navigator.languages,
    ]),
  );
  const sample = useMemo(() => sampleOf(start, encoding), [start, encoding]);
  return (
    <Alert color="blue" title={t('campaigns.encodingTitle')} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('campaigns.problems.notUtf8')}</Text>
        <Select
          w={300}
          maw="100%"
          label={t('campaigns.encoding')}
          data={OLD_ENCODINGS.map((value) => ({ value, label: t(`campaigns.encodings.${value}`) }))}
          value={encoding}
          onChange={(value) => value !== null && setEncoding(value)}
          allowDeselect={false}
        />
        {sample.length > 0 && (
          <div role="status">
            <Text size="sm">{t('campaigns.encodingPreview')}</Text>
            {sample.map((line, index) => (
              <Text key={index} size="sm" className="outside-text" dir="auto">
                {line}
              </Text>
            ))}
          </div>
        )}
        <Button size="xs" variant="default" onClick={() => onChoose(encoding)}>
          {t('campaigns.readEncoding')}
        </Button>
      </Stack>
    </Alert>
  );
}
