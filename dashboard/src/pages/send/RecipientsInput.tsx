import { Anchor, Button, List, Pill, Stack, TagsInput, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type BadRecipient, numbersOf } from './send-values';
import { useNumberChecks } from './use-number-checks';

/** The bound of the API. */
const MAX_RECIPIENTS = 10_000;

/** Beyond these, their count is enough. */
const MAX_FAULTS = 20;

/** From here on a campaign shows more. */
const MANY = 100;

/** That cannot be read: other columns of a table, which a campaign reads. */
const MANY_UNREADABLE = 5;

/** Numbers, with those that cannot be read or that the service refuses, by their place and value. */
export function RecipientsInput(props: {
  readonly value: string[];
  readonly onChange: (recipients: string[]) => void;
  readonly error: string | undefined;
  /** Their places are those of `checked`. */
  readonly bad: readonly BadRecipient[];
  readonly checked: readonly string[];
}) {
  const { t } = useTranslation();
  const { value, onChange, bad, checked } = props;
  const { unreadable, unusual } = useNumberChecks(value);
  const refused = new Map(bad.map(({ index, message }) => [checked[index], message]));
  const faults = value.flatMap((number, index) => {
    const message = unreadable.get(number) ?? refused.get(number);
    return message === undefined ? [] : [{ number, index, message }];
  });
  const badValues = new Set(faults.map(({ number }) => number));
  return (
    <Stack gap="xs">
      <TagsInput
        label={t('send.recipients')}
        description={
          value.length > 1 ? t('send.recipientCount', { count: value.length }) : t('send.recipientsHint')
        }
        placeholder={value.length === 0 ? t('send.recipientsPlaceholder') : undefined}
        value={value}
        onChange={(recipients) => onChange([...new Set(numbersOf(recipients))])}
        splitChars={[',', ';', '\n', '\r', '\t']}
        maxTags={MAX_RECIPIENTS}
        clearable={value.length > 1}
        error={props.error ?? faults.length > 0}
        inputMode="tel"
        renderPill={({ value: number, onRemove }) => (
          <Pill
            withRemoveButton
            onRemove={onRemove}
            removeButtonProps={{
              'aria-label': `${t('common.delete')} ${String(number)}`,
              'aria-hidden': false,
              tabIndex: 0,
            }}
            bg={badValues.has(String(number)) ? 'var(--mantine-color-red-light)' : undefined}
            c={badValues.has(String(number)) ? 'var(--mantine-color-red-light-color)' : undefined}
          >
            {number}
          </Pill>
        )}
      />
      {faults.length > 0 && (
        <Stack gap={6} align="flex-start" role="alert">
          <List size="sm" c="red" listStyleType="none">
            {faults.slice(0, MAX_FAULTS).map(({ number, index, message }) => (
              <List.Item key={index}>
                <Text span size="sm" className="outside-text">
                  {t('send.badNumber', { place: index + 1 })} <BadNumber message={message} value={number} />
                </Text>
              </List.Item>
            ))}
          </List>
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            onClick={() => onChange(value.filter((each) => !badValues.has(each)))}
          >
            {t('send.removeBad', { count: faults.length })}
          </Button>
        </Stack>
      )}
      {unusual.length > 0 && (
        <Text size="sm" c="orange" role="status">
          {t('send.unusualNumbers', { count: unusual.length })}{' '}
          <bdi className="outside-text">{unusual.slice(0, MAX_FAULTS).join(', ')}</bdi>
        </Text>
      )}
      {value.some((number) => !/^(\+|00)/.test(number)) && (
        <Text size="sm" c="dimmed" role="status">
          {t('send.noCountryCode')}
        </Text>
      )}
      {(value.length > MANY || unreadable.size >= MANY_UNREADABLE) && (
        <Text size="sm" c="dimmed">
          {t('send.forManyNumbers')}{' '}
          <Anchor component={Link} to="/campaigns/new">
            {t('send.campaign')}
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  );
}

/** Some messages quote the number already. It stands alone, so that marks of direction in it do not turn the rest. */
function BadNumber({ message, value }: { readonly message: string; readonly value: string }) {
  const [, quoted = `"${value}"`, rest = message] = /^("(?:[^"\\]|\\.)*") (.*)$/s.exec(message) ?? [];
  return (
    <>
      <bdi className="outside-text">{quoted}</bdi> {rest}
    </>
  );
}
