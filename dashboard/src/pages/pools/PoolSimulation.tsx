import { Button, Card, Group, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { simulatePoolMutation } from '../../../generated/@tanstack/react-query.gen';
import type { PoolSimulationResponse } from '../../../generated/types.gen';
import { errorText } from '../../components/notify';
import { Time } from '../../components/Time';
import { fieldErrors } from '../../api/field-errors';
import type { Member, Pool } from './pool';
import { useSenders } from './use-senders';

/** Asks which SIM would send to a number, and why not the others. */
export function PoolSimulation({
  pool,
  members,
}: {
  readonly pool: Pool;
  readonly members: readonly Member[];
}) {
  const { t } = useTranslation();
  const [recipient, setRecipient] = useState('');
  const simulate = useMutation({ ...simulatePoolMutation(), meta: { showsErrors: true } });
  const error = simulate.error && (fieldErrors(simulate.error).recipient ?? errorText(simulate.error));
  return (
    <Card component="section" aria-label={t('pools.simulate.title')}>
      <Title order={2} mb={4}>
        {t('pools.simulate.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('pools.simulate.text')}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          simulate.mutate({ path: { id: pool._id }, body: { recipient } });
        }}
      >
        <Stack gap="xs" align="stretch">
          <TextInput
            required
            type="tel"
            label={t('pools.simulate.recipient')}
            maxLength={64}
            value={recipient}
            error={error}
            onChange={({ currentTarget }) => setRecipient(currentTarget.value)}
          />
          <Button type="submit" variant="light" loading={simulate.isPending}>
            {t('pools.simulate.submit')}
          </Button>
        </Stack>
      </form>
      <div role="status" aria-label={t('pools.simulate.result')}>
        {simulate.data && <Result result={simulate.data.data} members={members} />}
      </div>
    </Card>
  );
}

function Result({
  result,
  members,
}: {
  readonly result: PoolSimulationResponse;
  readonly members: readonly Member[];
}) {
  const { t } = useTranslation();
  const { titleOf, fullTitleOf } = useSenders();
  const { sim, reason, until, unavailable } = result;
  const chosen = members.find((member) => member.sim._id === sim)?.sim;
  const others = members.filter((member) => member.sim._id !== sim);
  return (
    <Stack gap="xs" mt="md">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        {sim ? (
          <IconCircleCheck color="var(--mantine-color-teal-text)" aria-hidden style={{ flexShrink: 0 }} />
        ) : (
          <IconCircleX
            color={until ? undefined : 'var(--mantine-color-red-text)'}
            aria-hidden
            style={{ flexShrink: 0 }}
          />
        )}
        <div>
          <Text fw={600} className="outside-text">
            {sim
              ? t('pools.simulate.wouldSend', { sim: chosen ? fullTitleOf(chosen) : sim })
              : t('pools.simulate.nobody')}
          </Text>
          <Text size="sm">{sim && t(`pools.simulate.reason.${reason}`)}</Text>
          {until && (
            <Text size="sm">
              {t('pools.simulate.until')} <Time value={until} />
            </Text>
          )}
        </div>
      </Group>
      {others.length > 0 && (
        <>
          <Title order={3}>{t('pools.simulate.others')}</Title>
          <List size="sm" spacing={4} listStyleType="none">
            {others.map((member) => {
              const rejection = unavailable.find((each) => each.sim === member.sim._id);
              return (
                <List.Item key={member.sim._id}>
                  <Text component="span" inherit fw={600} className="outside-text">
                    {titleOf(member.sim)}
                  </Text>
                  {': '}
                  {rejection ? t(`pools.simulate.reason.${rejection.reason}`) : t('pools.simulate.possible')}
                  {rejection?.until && (
                    <>
                      {' ('}
                      {t('pools.simulate.untilTime')} <Time value={rejection.until} />
                      {')'}
                    </>
                  )}
                </List.Item>
              );
            })}
          </List>
        </>
      )}
    </Stack>
  );
}
