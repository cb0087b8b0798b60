import { Alert, Button, Group, Modal, PasswordInput, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  disableAccount,
  enableAccount,
  type OperatedAccountResponse as Account,
  type PlanResponse,
  setAccountPlan,
} from '../../../generated';
import { ApiError } from '../../api/client';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';

export type Action = 'plan' | 'disable' | 'enable';

/** Asks for the password of the operator again, and does it. */
export function ActionModal(props: {
  readonly account: Account;
  readonly action: Action;
  readonly plans: readonly PlanResponse[];
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const readAgain = useReadAgain('account');
  const { account, action, plans, onClose } = props;
  const { email } = account;
  const [plan, setPlan] = useState(account.plan.name);
  const [password, setPassword] = useState('');
  const act = useMutation({
    mutationFn: async () => {
      const path = { id: account._id };
      if (action === 'plan') return setAccountPlan({ path, body: { plan, password }, throwOnError: true });
      const call = action === 'disable' ? disableAccount : enableAccount;
      return call({ path, body: { password }, throwOnError: true });
    },
    meta: { showsErrors: true },
    onSuccess: async () => {
      onClose();
      showSuccess(t(`operations.done.${action}`, { email }));
      await readAgain();
    },
  });
  const isWrong = act.error instanceof ApiError && act.error.code === 'WRONG_PASSWORD';
  return (
    <Modal opened onClose={onClose} title={t(`operations.action.${action}`)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm" className="outside-text">
            {t(`operations.explanation.${action}`, { email })}
          </Text>
          {act.error && !isWrong && <Alert color="red">{errorText(act.error)}</Alert>}
          {action === 'plan' && (
            <Select
              label={t('operations.plan')}
              data={plans.map(({ name, displayName }) => ({ value: name, label: displayName }))}
              value={plan}
              allowDeselect={false}
              onChange={(value) => {
                if (value !== null) setPlan(value);
              }}
            />
          )}
          <PasswordInput
            label={t('operations.password')}
            description={t('operations.passwordHint')}
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={isWrong && t('account.wrongPassword')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              color={action === 'disable' ? 'red.9' : undefined}
              loading={act.isPending}
              disabled={password === '' || (action === 'plan' && plan === account.plan.name)}
            >
              {t(`operations.action.${action}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
