import { Badge, Button, Card, Group, Menu, Select, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperatedAccountResponse as Account } from '../../../generated';
import { listAccountsOptions, listPlansOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { type Action, ActionModal } from './ActionModal';

const PAGE_SIZE = 25;
const UNLIMITED = -1;
const MAX_EMAIL = 254;

interface Filters {
  readonly cursor?: string;
  readonly email?: string;
  readonly plan?: string;
  readonly disabled?: 'true' | 'false';
}

/** Reads the filters of the address, in which anything may be written. */
function filtersOf(search: Readonly<Record<string, unknown>>): Filters {
  const text = (name: string) => (typeof search[name] === 'string' ? search[name] : undefined);
  const disabled = String(search.disabled);
  return {
    cursor: text('cursor'),
    email: text('email')?.slice(0, MAX_EMAIL),
    plan: text('plan'),
    disabled: disabled === 'true' || disabled === 'false' ? disabled : undefined,
  };
}

/** All accounts by e-mail address, and what the operator may do with each. */
export function AccountsSection({ self }: { readonly self: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const filters = filtersOf(useSearch({ strict: false }));
  const { cursor, email, plan, disabled } = filters;
  const [typed, setTyped] = useState(email ?? '');
  const [chosen, setChosen] = useState<{ readonly account: Account; readonly action: Action }>();
  const plans = useQuery(listPlansOptions());
  const accounts = useQuery({
    ...listAccountsOptions({
      query: {
        limit: PAGE_SIZE,
        ...(cursor && { cursor }),
        ...(email && { email }),
        ...(plan && { plan }),
        ...(disabled && { disabled }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  const show = (next: Filters) =>
    void navigate({ to: '/operations', search: { ...next }, resetScroll: false });
  const search = useDebouncedCallback((value: string) => {
    show({ ...filters, cursor: undefined, email: value.trim() || undefined });
  }, 300);
  return (
    <section aria-label={t('operations.accounts')}>
      <Title order={2} mb="sm">
        {t('operations.accounts')}
      </Title>
      <Group mb="sm" gap="sm">
        <TextInput
          aria-label={t('operations.searchEmail')}
          placeholder={t('operations.searchEmail')}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={MAX_EMAIL}
          w={{ base: '100%', xs: 280 }}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            search(event.currentTarget.value);
          }}
        />
        <Select
          aria-label={t('operations.plan')}
          placeholder={t('operations.anyPlan')}
          clearable
          w={180}
          data={(plans.data?.data ?? []).map(({ name, displayName }) => ({
            value: name,
            label: displayName,
          }))}
          value={plan ?? null}
          onChange={(value) => show({ ...filters, cursor: undefined, plan: value ?? undefined })}
        />
        <Select
          aria-label={t('operations.accountState')}
          placeholder={t('operations.anyState')}
          clearable
          w={180}
          data={[
            { value: 'false', label: t('operations.enabled') },
            { value: 'true', label: t('operations.disabled') },
          ]}
          value={disabled ?? null}
          onChange={(value) =>
            show({
              ...filters,
              cursor: undefined,
              disabled: value === 'true' || value === 'false' ? value : undefined,
            })
          }
        />
      </Group>
      <QueryState query={accounts} lines={6}>
        {({ data, meta }) => (
          <>
            <Card padding={0}>
              {data.length === 0 ? (
                <Text p="md" c="dimmed">
                  {t('operations.noAccounts')}
                </Text>
              ) : (
                <AccountsTable
                  accounts={data}
                  self={self}
                  onAction={(account, action) => setChosen({ account, action })}
                />
              )}
            </Card>
            <Group justify="space-between" mt="sm">
              <Button
                variant="default"
                disabled={cursor === undefined}
                onClick={() => show({ ...filters, cursor: undefined })}
              >
                {t('operations.firstPage')}
              </Button>
              <Button
                variant="default"
                disabled={meta.nextCursor === null}
                onClick={() => show({ ...filters, cursor: meta.nextCursor ?? undefined })}
              >
                {t('operations.nextPage')}
              </Button>
            </Group>
          </>
        )}
      </QueryState>
      {chosen && (
        <ActionModal {...chosen} plans={plans.data?.data ?? []} onClose={() => setChosen(undefined)} />
      )}
    </section>
  );
}

const COLUMNS = ['account', 'plan', 'phones', 'used', 'created', 'actions'] as const;

function AccountsTable(props: {
  readonly accounts: readonly Account[];
  readonly self: string;
  readonly onAction: (account: Account, action: Action) => void;
}) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Table.ScrollContainer
      minWidth={760}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={t('operations.accounts')}
    >
      <Table aria-label={t('operations.accounts')} verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map((column) => (
              <Table.Th
                key={column}
                scope="col"
                ta={column === 'phones' || column === 'used' ? 'right' : undefined}
              >
                {t(`operations.column.${column}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.accounts.map((account) => {
            const { email, name, plan, usage, devices, disabledAt, emailVerifiedAt, createdAt } = account;
            return (
              <Table.Tr key={account._id}>
                <Table.Th scope="row" fw={400} maw={300}>
                  <Text size="sm" fw={600} className="outside-text" lineClamp={2}>
                    {email}
                  </Text>
                  <Text size="xs" c="dimmed" className="outside-text" lineClamp={1}>
                    {name}
                  </Text>
                  <Group gap={6} mt={2}>
                    {disabledAt && (
                      <Badge size="sm" variant="light" color="red" tt="none">
                        {t('operations.disabled')}
                      </Badge>
                    )}
                    {!emailVerifiedAt && (
                      <Badge size="sm" variant="light" color="yellow" tt="none">
                        {t('operations.unverified')}
                      </Badge>
                    )}
                    {account.operator && (
                      <Badge size="sm" variant="light" tt="none">
                        {t('operations.operator')}
                      </Badge>
                    )}
                  </Group>
                </Table.Th>
                <Table.Td miw={110} className="outside-text">
                  {plan.displayName}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {number.format(devices)}
                </Table.Td>
                <Table.Td ta="right" className="numeric">
                  {usage.monthlyLimit === UNLIMITED
                    ? number.format(usage.processedSmsLastMonth)
                    : t('operations.usedOf', {
                        used: usage.processedSmsLastMonth,
                        limit: usage.monthlyLimit,
                      })}
                </Table.Td>
                <Table.Td>
                  <Time value={createdAt} />
                </Table.Td>
                <Table.Td>
                  <AccountMenu
                    account={account}
                    isSelf={account._id === props.self}
                    onAction={(action) => props.onAction(account, action)}
                  />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function AccountMenu(props: {
  readonly account: Account;
  readonly isSelf: boolean;
  readonly onAction: (action: Action) => void;
}) {
  const { t } = useTranslation();
  const { account, isSelf, onAction } = props;
  const toggle = account.disabledAt ? 'enable' : 'disable';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={t('operations.actionsFor', { email: account.email })}
        >
          {t('operations.change')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAction('plan')}>{t('operations.action.plan')}</Menu.Item>
        {/* Operators cannot disable themselves. */}
        {!isSelf && (
          <Menu.Item color={toggle === 'disable' ? 'red' : undefined} onClick={() => onAction(toggle)}>
            {t(`operations.action.${toggle}`)}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
