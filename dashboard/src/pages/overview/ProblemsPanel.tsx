import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronRight, IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SeverityAlert } from '../../components/severity';
import { Time } from '../../components/Time';
import { problemText } from './problem-text';
import { bySort, groupProblems, type Problem, type ProblemGroup, remedyOf, type Remedy } from './problems';

/** Of a group, until the others are asked for. */
const SHOWN = 3;

interface Links {
  readonly deviceOfSim: (sim: string) => string | undefined;
  /** What a problem is about, in the language of the page. */
  readonly nameOf: (subject: Problem['subject']) => string;
  readonly isOperator: boolean;
}

/** What is wrong now, each with its remedy; then what is as its owner has set it. */
export function ProblemsPanel({ problems, ...links }: Links & { readonly problems: readonly Problem[] }) {
  const { t } = useTranslation();
  const { faults, notes } = bySort(problems);
  return (
    <Stack gap="md">
      <section aria-label={t('overview.wrong')}>
        <div role="status">
          {faults.length === 0 ? (
            <Card py="sm">
              <Group gap="xs" wrap="nowrap">
                <IconCircleCheck size={20} color="var(--mantine-color-teal-text)" aria-hidden />
                <Text fw={600}>{t('overview.nothingWrong')}</Text>
              </Group>
            </Card>
          ) : (
            <Title order={2} mb="sm">
              {t('overview.wrongCount', { count: faults.length })}
            </Title>
          )}
        </div>
        <Groups problems={faults} {...links} />
      </section>
      {notes.length > 0 && (
        <section aria-label={t('overview.asSet')}>
          <Title order={2} mb="sm">
            {t('overview.asSet')}
          </Title>
          <Groups problems={notes} {...links} />
        </section>
      )}
    </Stack>
  );
}

function Groups({ problems, ...links }: Links & { readonly problems: readonly Problem[] }) {
  return (
    <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {groupProblems(problems).map((group) => (
        <li key={group.code}>
          <ProblemGroupAlert group={group} {...links} />
        </li>
      ))}
    </Stack>
  );
}

function ProblemGroupAlert({ group, ...links }: Links & { readonly group: ProblemGroup }) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { severity, problems } = group;
  const { text, remedy } = problemText(t, i18n.language, group, links.nameOf);
  const isSingle = problems.length === 1;
  const shown = isOpen ? problems : problems.slice(0, SHOWN);
  return (
    <SeverityAlert severity={severity} title={text}>
      <Stack gap="xs">
        <Text size="sm" className="outside-text" lineClamp={6}>
          {remedy}
        </Text>
        {isSingle ? (
          <Group gap="sm">
            <RemedyButton problem={problems[0]} {...links} />
            <Facts problem={problems[0]} />
          </Group>
        ) : (
          <Group gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {shown.map((problem, index) => (
              <Group key={problem.subject.id ?? index} component="li" gap="sm" maw="100%">
                <RemedyButton problem={problem} isNamed {...links} />
                <Facts problem={problem} />
              </Group>
            ))}
            {problems.length > SHOWN && (
              <li>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(!isOpen)}
                >
                  {isOpen ? t('overview.fewer') : t('overview.others', { count: problems.length - SHOWN })}
                </Button>
              </li>
            )}
          </Group>
        )}
      </Stack>
    </SeverityAlert>
  );
}

/** Goes to where the problem is fixed. @param props.isNamed says what it is about, for one of many. */
function RemedyButton({
  problem,
  isNamed = false,
  deviceOfSim,
  nameOf,
  isOperator,
}: Links & { readonly problem: Problem; readonly isNamed?: boolean }) {
  const { t } = useTranslation();
  const remedy = remedyOf(problem, deviceOfSim, isOperator);
  const name = nameOf(problem.subject);
  if (!remedy) return isNamed ? <Text size="sm">{name}</Text> : null;
  const label = t(`overview.goTo.${remedy.name}`);
  return (
    <Button
      renderRoot={(root) => <Link {...linkOf(remedy.target)} {...root} />}
      size="xs"
      variant="default"
      maw="100%"
      rightSection={<IconChevronRight size={14} aria-hidden />}
      aria-label={isNamed ? `${name}: ${label}` : `${label}: ${name}`}
    >
      {isNamed ? (
        <Text inherit span truncate dir="auto">
          {name}
        </Text>
      ) : (
        label
      )}
    </Button>
  );
}

function linkOf(target: Remedy) {
  return 'id' in target
    ? { to: target.to, params: { id: target.id }, search: target.sim ? { sim: target.sim } : {} }
    : { to: target.to, search: target.isPairing ? { pair: true } : {} };
}

/** Since when, until when, and how many messages wait. */
function Facts({ problem: { since, until, waitingMessages } }: { readonly problem: Problem }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" component="div" className="numeric">
      <Group gap="md" style={{ rowGap: 2 }}>
        {since && (
          <span>
            {t('overview.since')} <Time value={since} />
          </span>
        )}
        {until && (
          <span>
            {t('overview.until')} <Time value={until} />
          </span>
        )}
        {!!waitingMessages && <span>{t('overview.waiting', { count: waitingMessages })}</span>}
      </Group>
    </Text>
  );
}
