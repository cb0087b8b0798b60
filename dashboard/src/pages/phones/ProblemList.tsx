import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { simTitle } from '../../api/sim-name';
import { phoneProblemText } from '../../components/phone-problem-text';
import type { Device, Problem, Sim } from '../../components/phones/phone';
import { isKnown } from '../../components/problem-codes';
import { useSearchParam } from '../../components/search-param';
import { SeverityAlert } from '../../components/severity';
import { Time } from '../../components/Time';
import { usePhoneChanges } from './actions/use-phone-changes';
import { pushProblemText } from './push-problem';

interface Context {
  readonly device: Device;
  readonly sims: readonly Sim[];
}

/** Why a phone is not good, and what to do; then what is as its owner has set it. */
export function ProblemList({ problems, ...context }: Context & { readonly problems: readonly Problem[] }) {
  const { t } = useTranslation();
  const { device } = context;
  const changes = usePhoneChanges(device);
  if (!device.enabled) {
    const { text, remedy } = phoneProblemText(t, { code: 'phone_disabled', text: '' });
    return (
      <SeverityAlert severity="info" title={text}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{remedy}</Text>
          <Button size="xs" variant="default" onClick={() => void changes.setEnabled(true)}>
            {t('phones.enable')}
          </Button>
        </Stack>
      </SeverityAlert>
    );
  }
  const faults = problems.filter(({ severity }) => severity !== 'info');
  const notes = problems.filter(({ severity }) => severity === 'info');
  return (
    <>
      {faults.length > 0 && <Problems title={t('phones.wrong')} problems={faults} {...context} />}
      {faults.length === 0 && device.health.state === 'ok' && (
        <Group gap="xs" c="dimmed">
          <IconCircleCheck size={18} aria-hidden />
          <Text size="sm">{t('phones.allGood')}</Text>
        </Group>
      )}
      {notes.length > 0 && <Problems title={t('phones.asSet')} problems={notes} {...context} />}
    </>
  );
}

function Problems(props: Context & { readonly title: string; readonly problems: readonly Problem[] }) {
  const { t } = useTranslation();
  const { device, sims, title, problems } = props;
  const [, openSim] = useSearchParam('sim');
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Stack>
        {problems.map((problem, index) => {
          const { text, remedy } = phoneProblemText(t, problem);
          const subject = problem.subject.type === 'sim' ? problem.subject : undefined;
          const sim = sims.find(({ _id }) => _id === subject?.id);
          const name = sim ? simTitle(t, sim, device, sims) : subject?.name;
          return (
            <SeverityAlert
              key={index}
              severity={problem.severity}
              title={
                name !== undefined && isKnown(problem.code)
                  ? t(`problems.text.${problem.code}`, { count: 1, name })
                  : text
              }
            >
              <Stack gap={6} align="flex-start">
                <Text size="sm" className="outside-text">
                  {pushProblemText(t, problem, device) ?? remedy}
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
                {sim && (
                  <Button size="xs" variant="default" onClick={() => openSim(sim._id)}>
                    {t('phones.sims.settings')}
                  </Button>
                )}
              </Stack>
            </SeverityAlert>
          );
        })}
      </Stack>
    </Card>
  );
}
