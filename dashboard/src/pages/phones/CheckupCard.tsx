import { Card, Group, List, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import english from '../../../../src/gateway/insight/checkup/english';
import type { CheckResponse } from '../../../generated';
import { checkUpDeviceOptions } from '../../../generated/@tanstack/react-query.gen';
import type { Device } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';

const MARKS = {
  ok: { color: 'teal', Icon: IconCheck },
  warning: { color: 'yellow', Icon: IconAlertTriangle },
  error: { color: 'red', Icon: IconX },
  unknown: { color: 'gray', Icon: IconQuestionMark },
} as const;

type Finding = CheckResponse['finding'];
type FindingWithRemedy = Finding & keyof (typeof english)['remedy'];

const hasRemedy = (finding: Finding): finding is FindingWithRemedy => finding in english.remedy;

/** What works, what does not, and what to tap. */
export function CheckupCard({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const checkup = useQuery({
    ...checkUpDeviceOptions({ path: { id: device._id } }),
    refetchInterval: 60_000,
  });
  return (
    <Card component="section" aria-label={t('checkup.title')}>
      <Title order={2} mb="sm">
        {t('checkup.title')}
      </Title>
      <QueryState query={checkup} lines={6}>
        {({ data }) => (
          <List listStyleType="none" spacing="sm">
            {data.checks.map((check) => (
              <Check key={check.code} check={check} />
            ))}
          </List>
        )}
      </QueryState>
    </Card>
  );
}

function Check({ check }: { readonly check: CheckResponse }) {
  const { t } = useTranslation();
  const { code, state, finding, since, facts } = check;
  const { color, Icon } = MARKS[state];
  return (
    <List.Item
      icon={
        <ThemeIcon color={color} variant="light" size="sm" radius="xl">
          <Icon size={14} role="img" aria-label={t(`checkup.states.${state}`)} />
        </ThemeIcon>
      }
    >
      <Group gap="xs" wrap="wrap">
        <Text size="sm" fw={600}>
          {t(`checkup.checks.${code}`)}
        </Text>
        {since && (
          <Text size="xs" c="dimmed" component="span">
            <Time value={since} />
          </Text>
        )}
      </Group>
      <Text size="sm" className="outside-text">
        {t(`checkup.text.${finding}`, { ...facts })}
      </Text>
      {hasRemedy(finding) && (
        <Text size="sm" c="dimmed">
          {t(`checkup.remedy.${finding}`)}
        </Text>
      )}
    </List.Item>
  );
}
