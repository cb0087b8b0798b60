import { Group, Text } from '@mantine/core';
import {
  IconBattery2,
  IconBatteryCharging,
  IconClock,
  IconDeviceMobileCode,
  IconWifi,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '../../../components/phones/phone';
import { Ago } from './Ago';

type Icon = typeof IconClock;

/** Battery, network, signal of life and app of a phone, as far as it reports them. */
export function PhoneFacts({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const battery = useBattery(device);
  const network = useNetwork(device);
  const { isCharging } = device.batteryInfo ?? {};
  return (
    <Group gap="6px 16px">
      <Fact icon={IconClock} label={t('phones.lastContact')}>
        {device.lastContactAt ? <Ago value={device.lastContactAt} /> : t('phones.neverContacted')}
      </Fact>
      {battery && (
        <Fact icon={isCharging ? IconBatteryCharging : IconBattery2} label={t('phones.battery')}>
          {battery}
        </Fact>
      )}
      {network && (
        <Fact icon={IconWifi} label={t('phones.network')}>
          {network}
        </Fact>
      )}
      {appVersion(device) && (
        <Fact icon={IconDeviceMobileCode} label={t('phones.app')}>
          {appVersion(device)}
        </Fact>
      )}
    </Group>
  );
}

function Fact({
  icon: Icon,
  label,
  children,
}: {
  readonly icon: Icon;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <Group gap={6} wrap="nowrap" c="dimmed">
      <Icon size={16} stroke={1.7} role="img" aria-label={label} style={{ flexShrink: 0 }} />
      <Text size="sm" className="outside-text numeric" component="span" lineClamp={1}>
        {children}
      </Text>
    </Group>
  );
}

export const appVersion = ({ appVersionName, appVersionInfo }: Device): string | undefined =>
  appVersionInfo?.versionName ?? appVersionName;

/** The charge in percent, and whether it is charging. */
export function useBattery({ batteryInfo }: Device): string | undefined {
  const { t, i18n } = useTranslation();
  const { percentage, isCharging } = batteryInfo ?? {};
  if (percentage === undefined) return undefined;
  const charge = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percentage / 100);
  return isCharging ? `${charge}, ${t('phones.charging')}` : charge;
}

export function useNetwork({ networkInfo }: Device): string | undefined {
  const { t } = useTranslation();
  const type = networkInfo?.networkType;
  return type === 'wifi' || type === 'cellular' || type === 'none' ? t(`phones.networks.${type}`) : type;
}
