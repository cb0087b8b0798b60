import type { SimPatchRequest } from '../../../../generated/types.gen';
import type { Sim } from '../../../components/phones/phone';

export const NUMBER_LIMITS = [
  'partsPerMinute',
  'messagesPerHour',
  'messagesPerDay',
  'messagesPerMonth',
  'recipientsPerMonth',
  'monthStartsOn',
] as const;

export type NumberLimit = (typeof NUMBER_LIMITS)[number];

/** What the form of a SIM holds; an empty field removes what is set. */
export interface SimForm {
  label: string;
  phoneNumber: string;
  enabled: boolean;
  limits: Record<NumberLimit, number | string> & { timeZone: string | null };
}

export function toSimForm({ label = '', phoneNumber = '', enabled, limits }: Sim): SimForm {
  const numbers = Object.fromEntries(NUMBER_LIMITS.map((name) => [name, limits[name] ?? '']));
  return {
    label,
    phoneNumber,
    enabled,
    limits: { ...(numbers as Record<NumberLimit, number | string>), timeZone: limits.timeZone ?? null },
  };
}

export function toSimPatch({ label, phoneNumber, enabled, limits }: SimForm): SimPatchRequest {
  const numbers = Object.fromEntries(
    NUMBER_LIMITS.map((name) => [name, limits[name] === '' ? null : Number(limits[name])]),
  );
  return {
    label: label.trim() || null,
    phoneNumber: phoneNumber.trim() || null,
    enabled,
    limits: { ...numbers, timeZone: limits.timeZone },
  };
}
