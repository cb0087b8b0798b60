import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { usePlanLeft } from './use-plan-left';

/** Asks before many people get a message, and says what it takes of the plan. */
export default function ConfirmSend(props: {
  readonly count: number;
  readonly submit: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const plan = usePlanLeft();
  const { count, submit, onConfirm, onClose } = props;
  return (
    <Modal opened onClose={onClose} title={t('send.confirm.title', { count })}>
      <Stack>
        <div>
          <Text>{t('send.confirm.cost', { count })}</Text>
          {plan?.lines.map((line) => (
            <Text key={line} size="sm" c="dimmed" className="numeric">
              {t('send.plan', { name: plan.name })}: {line}
            </Text>
          ))}
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button data-autofocus onClick={onConfirm}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
