import { Anchor, Code, Group, Text, Textarea } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_TEXT_CHARACTERS, sizeOfDraft, withPlainCharacters } from './text-size';

/** Shown, the others are counted. */
const SHOWN_CHARACTERS = 8;

/** A field for the text of a message, with its parts and encoding, and what makes them more. */
export function MessageComposer(props: {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  /** Hides the label from sight, where the place says what the field is. */
  readonly hidesLabel?: boolean;
  readonly placeholder?: string;
  readonly error?: ReactNode;
  readonly minRows?: number;
  readonly required?: boolean;
  /** Called for Ctrl+Enter. */
  readonly onSubmit?: () => void;
}) {
  const { value, onChange, onSubmit } = props;
  return (
    <Textarea
      label={props.hidesLabel ? undefined : props.label}
      aria-label={props.hidesLabel ? props.label : undefined}
      placeholder={props.placeholder}
      required={props.required}
      error={props.error}
      autosize
      minRows={props.minRows ?? 4}
      maxRows={12}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSubmit?.();
      }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={<TextSize text={value} onReplace={onChange} />}
      descriptionProps={{ component: 'div' }}
    />
  );
}

function TextSize({
  text,
  onReplace,
}: {
  readonly text: string;
  readonly onReplace: (text: string) => void;
}) {
  const { t, i18n } = useTranslation();
  const { segments, used, room, characters, offending } = sizeOfDraft(text);
  const number = new Intl.NumberFormat(i18n.language);
  const plain = offending.length > 0 ? withPlainCharacters(text) : undefined;
  const isTooLong = characters > MAX_TEXT_CHARACTERS;
  return (
    <>
      <Group component="span" gap="xs" justify="space-between">
        <span className="numeric">
          {text === '' ? t('send.composer.empty') : t('send.composer.parts', { count: segments })}
        </span>
        <Text component="span" inherit className="numeric" c={isTooLong ? 'red' : undefined}>
          {isTooLong
            ? t('send.composer.tooLong', {
                used: number.format(characters),
                limit: number.format(MAX_TEXT_CHARACTERS),
              })
            : t('send.composer.used', { used: number.format(used), room: number.format(room) })}
        </Text>
      </Group>
      {offending.length > 0 && (
        <Text component="div" size="xs" mt={4} c="var(--mantine-color-text)" role="status">
          <IconAlertTriangle
            size={14}
            color="var(--mantine-color-yellow-6)"
            aria-hidden
            style={{ verticalAlign: 'text-bottom' }}
          />{' '}
          {t('send.composer.unicode', { count: offending.length })}{' '}
          {offending.slice(0, SHOWN_CHARACTERS).map((character) => (
            <Code key={character} mr={4} title={codePoint(character)}>
              {/[\s\p{C}\p{M}]/u.test(character) ? codePoint(character) : character}
            </Code>
          ))}
          {offending.length > SHOWN_CHARACTERS &&
            t('send.composer.moreCharacters', { count: offending.length - SHOWN_CHARACTERS })}
          {plain !== undefined && (
            <Anchor component="button" type="button" size="xs" onClick={() => onReplace(plain)}>
              {t('send.composer.replace')}
            </Anchor>
          )}
        </Text>
      )}
    </>
  );
}

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
