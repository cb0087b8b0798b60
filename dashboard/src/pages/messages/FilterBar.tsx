import {
  Button,
  Group,
  MultiSelect,
  Pill,
  Popover,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listDevicesOptions } from '../../../generated/@tanstack/react-query.gen';
import { chosenStatus, type FilterName, FILTER_NAMES, type Filters, statusFilters } from './filters';
import { phoneName } from './phone-name';
import classes from './Messages.module.css';
import { useTexts } from './use-texts';

const DateRange = lazy(() => import('./DateRange'));

const STATUSES = [
  'pending',
  'dispatched',
  'sent',
  'delivered',
  'failed',
  'cancelled',
  'suppressed',
  'unknown',
  'received',
] as const;
const DIRECTIONS = ['all', 'sent', 'received'] as const;
const TYPING_PAUSE_MS = 400;
const MAX_TEXT_LENGTH = 256;

type Change = (change: Filters) => void;

interface FilterProps {
  readonly filters: Filters;
  readonly onChange: Change;
}

/** Sets the filters of the address; those that are set are shown, each with a button that removes it. */
export function FilterBar({ filters, onChange, views }: FilterProps & { readonly views: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" mb="sm">
      <Group gap="xs">
        <TypedInput
          className={classes.search}
          type="search"
          aria-label={t('common.search')}
          placeholder={t('messages.filters.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          text={filters.search ?? ''}
          onText={(search) => onChange({ search })}
        />
        <DirectionControl filters={filters} onChange={onChange} visibleFrom="sm" />
        <Select
          w={{ base: 112, sm: 150 }}
          aria-label={t('messages.filters.status')}
          placeholder={t('messages.filters.status')}
          data={STATUSES.map((value) => ({ value, label: t(`common.status.${value}`) }))}
          value={chosenStatus(filters) ?? null}
          onChange={(chosen) => onChange(statusFilters(STATUSES.find((each) => each === chosen)))}
          clearable
        />
        <MoreFilters filters={filters} onChange={onChange} />
        {views}
      </Group>
      <SetFilters filters={filters} onChange={onChange} />
    </Stack>
  );
}

function DirectionControl(
  props: FilterProps &
    Pick<React.ComponentProps<typeof SegmentedControl>, 'visibleFrom' | 'hiddenFrom' | 'fullWidth'>,
) {
  const { t } = useTranslation();
  const { filters, onChange, ...rest } = props;
  return (
    <SegmentedControl
      {...rest}
      aria-label={t('messages.filters.direction')}
      data={DIRECTIONS.map((value) => ({ value, label: t(`messages.directions.${value}`) }))}
      value={filters.direction ?? 'all'}
      onChange={(direction) => onChange({ direction: direction === 'all' ? undefined : direction })}
    />
  );
}

function MoreFilters({ filters, onChange }: FilterProps) {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const devices = useQuery({ ...listDevicesOptions(), enabled: isOpen });
  const phones = (devices.data?.data ?? []).map((device) => ({
    value: device._id,
    label: phoneName(device),
  }));
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" width={320} trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" px="sm" leftSection={<IconFilter size={16} aria-hidden />} onClick={toggle}>
          {t('messages.filters.more')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('messages.filters.more')}>
        <Stack gap="sm">
          <DirectionControl filters={filters} onChange={onChange} hiddenFrom="sm" fullWidth />
          <TypedInput
            label={t('messages.filters.number')}
            description={t('messages.filters.numberHint')}
            text={filters.contactNumber ?? ''}
            onText={(contactNumber) => onChange({ contactNumber })}
          />
          <MultiSelect
            label={t('messages.filters.phones')}
            placeholder={filters.deviceIds ? undefined : t('messages.filters.allPhones')}
            data={phones}
            value={filters.deviceIds?.split(',') ?? []}
            onChange={(ids) => onChange({ deviceIds: ids.length > 0 ? ids.join(',') : undefined })}
            comboboxProps={{ withinPortal: false }}
            clearable
            searchable
          />
          <Suspense fallback={<Skeleton height={60} />}>
            <DateRange key={`${filters.from}${filters.to}`} filters={filters} onChange={onChange} />
          </Suspense>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Applies what is typed after a pause, or at once with Enter. */
function TypedInput(
  props: TextInputProps & { readonly text: string; readonly onText: (text: string | undefined) => void },
) {
  const { text, onText, ...rest } = props;
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const [applied, setApplied] = useState(text);
  if (text !== known) {
    setKnown(text);
    // Another text than its own, such as that of a view. What was typed meanwhile is not overwritten.
    if (text !== applied) setTyped(text);
  }
  const apply = (value: string) => {
    setApplied(value.trim());
    onText(value.trim() || undefined);
  };
  const applyLater = useDebouncedCallback(apply, TYPING_PAUSE_MS);
  return (
    <TextInput
      {...rest}
      maxLength={MAX_TEXT_LENGTH}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        applyLater(value);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply(typed);
      }}
    />
  );
}

/** Those with a control in sight are not repeated. */
const HAS_CONTROL: readonly FilterName[] = ['search', 'status', 'cancelled', 'suppressed'];

function SetFilters({ filters, onChange }: FilterProps) {
  const { t, short } = useTexts();
  const devices = useQuery({ ...listDevicesOptions(), enabled: filters.deviceIds !== undefined });
  const phoneOf = (id: string) => {
    const device = devices.data?.data.find(({ _id }) => _id === id);
    return device ? phoneName(device) : id;
  };
  const shown = (name: FilterName, value: string) => {
    if (name === 'direction')
      return value === 'sent' || value === 'received' ? t(`messages.directions.${value}`) : value;
    if (name === 'deviceIds') return value.split(',').map(phoneOf).join(', ');
    const isTime = (name === 'from' || name === 'to') && !Number.isNaN(Date.parse(value));
    return isTime ? short(value) : value;
  };
  const set = FILTER_NAMES.filter((name) => filters[name] && !HAS_CONTROL.includes(name));
  if (set.length === 0) return null;
  return (
    <Group gap={6}>
      {set.map((name) => (
        <Pill
          key={name}
          withRemoveButton
          onRemove={() => onChange({ [name]: undefined })}
          removeButtonProps={{
            'aria-label': t('messages.filters.remove', { filter: t(`messages.set.${name}`) }),
            tabIndex: 0,
            'aria-hidden': false,
          }}
          maw="100%"
        >
          {t(`messages.set.${name}`)}: <bdi>{shown(name, filters[name] ?? '')}</bdi>
        </Pill>
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => onChange(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}
      >
        {t('messages.filters.clear')}
      </Button>
    </Group>
  );
}
