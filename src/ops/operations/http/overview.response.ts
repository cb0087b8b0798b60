import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Count, Time } from '../../../common/http/responses/fields';
import { API_VERSION, VERSION } from '../../../common/version';
import { type Role, ROLES } from '../../../config/sections/roles.config';
import type { ComponentHealth, Health } from '../../health.service';
import type { InstallationOverview } from '../overview.service';
import type { RunningProcess } from '../process-registry.service';

class InstallationProcessResponse {
  @ApiProperty({ enum: ROLES, isArray: true, description: 'Its roles' })
  roles!: readonly Role[];

  @Count('Seconds since it started')
  uptimeSeconds!: number;

  @ApiProperty({ description: 'The version of Node.js', example: 'v22.12.0' })
  nodeVersion!: string;
}

class RunningProcessResponse implements RunningProcess {
  @ApiProperty({
    description: 'Identifies the process while it runs',
    example: '0b7a1f0e-5a3c-4a52-9c1e-8f3d2b6a7c10',
  })
  id!: string;

  @ApiProperty({ description: 'The name of its host or container', example: 'gateway-1' })
  host!: string;

  @ApiProperty({ enum: ROLES, isArray: true, description: 'Its roles' })
  roles!: readonly Role[];

  @ApiProperty({ description: 'The version of the service', example: '1.0.0' })
  version!: string;

  @ApiProperty({ description: 'The version of Node.js', example: 'v22.12.0' })
  nodeVersion!: string;

  @Time('When it started, by the clock of its host')
  startedAt!: string;
}

class InstallationComponentResponse implements ComponentHealth {
  @ApiProperty({ description: 'Whether it works' })
  isUp!: boolean;

  @ApiProperty({ description: 'ok, or what is wrong', example: 'ok' })
  message!: string;
}

class InstallationComponentsResponse implements Record<keyof Health, InstallationComponentResponse> {
  @ApiProperty({ description: 'The database' })
  database!: InstallationComponentResponse;

  @ApiProperty({ description: 'Redis' })
  redis!: InstallationComponentResponse;

  @ApiProperty({ description: 'Whether workers take the jobs of the queues' })
  queues!: InstallationComponentResponse;

  @ApiProperty({ description: 'Push to phones; streams need nothing' })
  push!: InstallationComponentResponse;
}

class JobQueueResponse {
  @ApiProperty({ description: 'Name of the queue', example: 'dispatch' })
  name!: string;

  @Count('Jobs that wait for a worker')
  waiting!: number;

  @Count('Jobs that are running')
  active!: number;

  @Count('Jobs that are due later')
  delayed!: number;

  @Count('How long the oldest job has waited, in milliseconds')
  oldestMs!: number;
}

class DevicesByLastContactResponse {
  @Count('Within the last hour')
  hour!: number;

  @Count('Within the last day, but not the last hour')
  day!: number;

  @Count('Earlier')
  earlier!: number;

  @Count('Never')
  never!: number;
}

class DevicesByConnectionResponse {
  @Count('Devices that are online')
  online!: number;

  @Count('Devices that do not respond')
  unresponsive!: number;

  @Count('Devices that are offline')
  offline!: number;
}

class InstallationStatsResponse {
  @Count('Messages that wait on the server')
  pendingMessages!: number;

  @Count('Messages that were handed over, without a report')
  dispatchedMessages!: number;

  @Count('Age of the oldest message that is due but not sent to its phone, in milliseconds')
  dispatchOverdueMs!: number;

  @Count('Age of the oldest event that is due but not relayed to webhooks, in milliseconds')
  relayOverdueMs!: number;

  @Count('Messages, devices and SIMs whose events cannot be relayed')
  setAsideEvents!: number;

  @ApiProperty({ description: 'Enabled devices, by when they were last heard of' })
  devices!: DevicesByLastContactResponse;

  @ApiProperty({ description: 'Enabled devices, by the state of their connection' })
  connections!: DevicesByConnectionResponse;
}

export class InstallationOverviewResponse {
  @ApiProperty({ description: 'The version of the service', example: '1.0.0' })
  version!: string;

  @ApiProperty({ description: 'The version of the API', example: '1.0' })
  apiVersion!: string;

  @ApiProperty({ description: 'The process that answers' })
  process!: InstallationProcessResponse;

  @ApiPropertyOptional({
    type: [RunningProcessResponse],
    description:
      'All processes, those that started first. One that dies is listed for 30 seconds; absent while Redis does not answer',
  })
  processes?: readonly RunningProcessResponse[];

  @ApiProperty({ description: 'The components, as in GET /health/ready' })
  components!: InstallationComponentsResponse;

  @ApiProperty({ description: 'Whether Firebase Cloud Messaging is set up' })
  fcmConfigured!: boolean;

  @ApiPropertyOptional({
    type: [JobQueueResponse],
    description: 'The queues; absent while Redis does not answer',
  })
  queues?: JobQueueResponse[];

  @ApiPropertyOptional({
    description:
      'Statistics of all accounts, counted up to 10,000; absent while the database does not answer in time',
  })
  stats?: InstallationStatsResponse;

  @ApiPropertyOptional({
    type: [String],
    description: 'Migrations that have not finished; absent while the database does not answer in time',
    example: [],
  })
  pendingMigrations?: readonly string[];
}

export function toInstallationOverviewResponse({
  self: { roles, nodeVersion },
  uptimeSeconds,
  isFcmConfigured,
  queues,
  stats,
  ...others
}: InstallationOverview): InstallationOverviewResponse {
  return {
    version: VERSION,
    apiVersion: API_VERSION,
    process: { roles, uptimeSeconds, nodeVersion },
    fcmConfigured: isFcmConfigured,
    queues: queues?.map(({ queue, jobs, oldestMs }) => ({ name: queue, ...jobs, oldestMs })),
    stats: stats && {
      pendingMessages: stats.messages.pending,
      dispatchedMessages: stats.messages.dispatched,
      dispatchOverdueMs: stats.overdueMs.dispatch,
      relayOverdueMs: stats.overdueMs.relay,
      setAsideEvents: stats.setAsideEvents,
      devices: stats.devices,
      connections: stats.connections,
    },
    ...others,
  };
}
