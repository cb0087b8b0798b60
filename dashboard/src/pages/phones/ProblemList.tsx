import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../components/Time';
import type { Device, Problem } from './phone';
import { problemText } from './problem-text';
import { useSearchParam } from './search-param';
import { usePhoneChanges } from './actions/use-phone-changes';

/** Why a phone is not good, and what to do. */
export function ProblemList(props: { readonly device: Device; readonly problems: readonly Problem[] }) {
  const { t } = useTranslation();
  const { device, problems } = props;
  const changes = usePhoneChanges(device);
  const [, openSim] = useSearchParam('sim');
  if (!device.enabled) {
    const { text, remedy } = problemText(t, { code: 'phone_disabled', text: '' });
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={text}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{remedy}</Text>
          <Button size="xs" variant="default" onClick={() => void changes.setEnabled(true)}>
            {t('phones.enable')}
          </Button>
        </Stack>
      </Alert>
    );
  }
  if (problems.length === 0 && device.health.state === 'ok') {
    return (
      <Group gap="xs" c="dimmed">
        <IconCircleCheck size={18} aria-hidden />
        <Text size="sm">{t('phones.allGood')}</Text>
      </Group>
    );
  }
  return (
    <Card component="section" aria-label={t('phones.wrong')}>
      <Title order={2} mb="sm">
        {t('phones.wrong')}
      </Title>
      <Stack>
        {problems.map((problem, index) => {
          const { text, remedy } = problemText(t, problem);
          const isError = problem.severity === 'error';
          const isPushError = isPush(problem) && device.pushError;
          const sim = problem.subject.type === 'sim' ? problem.subject : undefined;
          return (
            <Alert
              key={index}
              color={isError ? 'red' : 'yellow'}
              icon={isError ? <IconAlertOctagon aria-hidden /> : <IconAlertTriangle aria-hidden />}
              title={<span className="outside-text">{sim ? `${sim.name}: ${text}` : text}</span>}
            >
              <Stack gap={6} align="flex-start">
                <Text size="sm" className="outside-text">
                  {isPushError ? device.pushError?.message : remedy}
                </Text>
                <Text size="sm" className="numeric">
                  {problem.since && (
                    <>
                      {t('phones.since')} <Time value={problem.since} />{' '}
                    </>
                  )}
                  {problem.until && (
                    <>
                      {t('phones.until')} <Time value={problem.until} />{' '}
                    </>
                  )}
                  {problem.waitingMessages !== undefined &&
                    problem.waitingMessages > 0 &&
                    t('phones.waitingMessages', { count: problem.waitingMessages })}
                </Text>
                {sim?.id && (
                  <Button size="xs" variant="default" onClick={() => openSim(sim.id)}>
                    {t('phones.sims.settings')}
                  </Button>
                )}
              </Stack>
            </Alert>
          );
        })}
      </Stack>
    </Card>
  );
}

const isPush = ({ code }: Problem) => code === 'push_not_set_up' || code === 'phone_offline';
