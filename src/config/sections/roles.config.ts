import { ArrayMinSize, ArrayUnique, IsIn } from 'class-validator';
import { CommaSeparated, Variable } from '../environment/environment';

export const ROLES = ['api', 'worker', 'scheduler'] as const;
export type Role = (typeof ROLES)[number];

/** The roles of this process. */
export class RolesConfig {
  @Variable('APP_ROLES')
  @CommaSeparated()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(ROLES, { each: true, message: `must be a comma-separated choice of ${ROLES.join(', ')}` })
  readonly roles: readonly Role[] = ROLES;

  has(role: Role): boolean {
    return this.roles.includes(role);
  }
}
