import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccountSimResponse, DeviceResponse, PoolResponse } from '../../../generated';
import { listPoolsOptions } from '../../../generated/@tanstack/react-query.gen';
import { deviceName, type Senders } from '../../api/senders';
import { phoneProblemText } from '../../components/phone-problem-text';

type Health = DeviceResponse['health']['state'];

/** Something that messages can be sent from. */
export interface SenderChoice {
  readonly value: string;
  readonly label: string;
  readonly health?: Health;
  /** What is wrong with it. */
  readonly reasons: readonly string[];
  /** Whether nothing that it sends leaves the computer. */
  readonly isVirtual?: boolean;
  /** Why it cannot be chosen. */
  readonly unavailable?: 'disabled' | 'draining' | undefined;
}

export interface SenderGroup {
  readonly group: string;
  readonly items: readonly SenderChoice[];
}

const worse = (one: Health, other: Health): Health =>
  one === 'error' || other === 'error' ? 'error' : one === 'ok' ? other : one;

const healthOf = (sim: AccountSimResponse): Health =>
  !sim.enabled || sim.health.state === 'open' ? 'error' : sim.health.state === 'half-open' ? 'warning' : 'ok';

const unavailable = ({ enabled, drainingSince }: DeviceResponse) =>
  enabled ? (drainingSince ? 'draining' : undefined) : 'disabled';

const isUsable = (device: DeviceResponse) => unavailable(device) === undefined;

/** All senders of the account; the first group has only the default. */
export function useSenderChoices({ devices, sims, simName }: Senders): readonly SenderGroup[] {
  const { t } = useTranslation();
  const pools = useQuery(listPoolsOptions()).data?.data ?? [];
  const deviceOf = (sim: AccountSimResponse) => devices.find(({ _id }) => _id === sim.device);

  const phone = (device: DeviceResponse): SenderChoice => ({
    value: `device:${device._id}`,
    label: deviceName(device),
    health: device.health.state,
    reasons: device.health.reasons.map((reason) => phoneProblemText(t, reason).text),
    isVirtual: device.isVirtual,
    unavailable: unavailable(device),
  });
  const simOf = (sim: AccountSimResponse, device: DeviceResponse): SenderChoice => ({
    value: `sim:${device._id}:${sim.subscriptionId}`,
    label: t('send.simOf', { sim: simName(sim), phone: deviceName(device) }),
    health: worse(healthOf(sim), device.health.state),
    reasons: device.health.reasons.map((reason) => phoneProblemText(t, reason).text),
    isVirtual: device.isVirtual,
    unavailable: sim.enabled ? unavailable(device) : 'disabled',
  });
  const poolOf = (pool: PoolResponse): SenderChoice => {
    const members = sims.filter(({ _id }) => pool.sims.includes(_id));
    const isOnline = (sim: AccountSimResponse) => deviceOf(sim)?.connection.state === 'online';
    const isOff = (sim: AccountSimResponse) => !sim.enabled || deviceOf(sim)?.enabled === false;
    const works = members.filter((sim) => !isOff(sim) && healthOf(sim) !== 'error' && isOnline(sim)).length;
    const count = pool.sims.length;
    const health = works === count ? 'ok' : works > 0 || members.every(isOff) ? 'warning' : 'error';
    return {
      value: `pool:${pool._id}`,
      label: t('send.poolOf', { name: pool.name, works, count }),
      health: count === 0 ? 'error' : health,
      reasons: [],
      isVirtual: count > 0 && sims.every((sim) => !pool.sims.includes(sim._id) || deviceOf(sim)?.isVirtual),
    };
  };

  const usual = usualSender(devices, pools);
  const isNoneUsable = !usual && !devices.some(isUsable);
  const usualChoice = usual && ('sims' in usual ? poolOf(usual) : phone(usual));
  const inPhones = sims.flatMap((sim) => {
    const device = deviceOf(sim);
    return device && sim.subscriptionId !== undefined ? [simOf(sim, device)] : [];
  });
  return [
    {
      group: '',
      items: [
        {
          ...(usualChoice ?? {
            ...(isNoneUsable ? { health: 'error', reasons: [t('send.noneEnabled')] } : { reasons: [] }),
            isVirtual: !isNoneUsable && devices.every(({ isVirtual }) => isVirtual),
          }),
          value: '',
          label: isNoneUsable
            ? t('send.fromNone')
            : t('send.fromDefaultIs', { name: usualChoice?.label ?? t('send.fromFreest') }),
          unavailable: undefined,
        },
      ],
    },
    { group: t('send.phones'), items: devices.map(phone) },
    { group: t('send.sims'), items: inPhones },
    { group: t('send.pools'), items: pools.map(poolOf) },
  ].filter(({ items }) => items.length > 0);
}

/** What a send without a sender goes out from, as docs/use/sending.md says. */
function usualSender(
  devices: readonly DeviceResponse[],
  pools: readonly PoolResponse[],
): DeviceResponse | PoolResponse | undefined {
  const usable = devices.filter(isUsable);
  return (
    pools.find(({ isDefault }) => isDefault) ??
    usable.find(({ isDefault }) => isDefault) ??
    (usable.length === 1 ? usable[0] : undefined)
  );
}
