import type { RunningProcessResponse } from '../../../generated';

const ROLES = ['api', 'worker', 'scheduler'] as const satisfies RunningProcessResponse['roles'];

export type Role = (typeof ROLES)[number];

/** The roles that no process has. */
export const missingRoles = (processes: readonly Pick<RunningProcessResponse, 'roles'>[]): Role[] =>
  ROLES.filter((role) => !processes.some(({ roles }) => roles.includes(role)));

/** The versions that run, each once. */
export const versionsOf = (processes: readonly Pick<RunningProcessResponse, 'version'>[]): string[] => [
  ...new Set(processes.map(({ version }) => version)),
];
