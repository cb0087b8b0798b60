import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DispatchConfig } from '../../config/sections/dispatch.config';
import type { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { immediatePacedMs, planSend, type SendPlan } from './send-plan';
import type { ValidatedSend } from './send-validation';

/** Plans the waves of a send, and reserves time on the phone's timeline for those that are due immediately. */
@Injectable()
export class SendPlanner {
  constructor(
    private readonly config: DispatchConfig,
    private readonly devices: DevicesRepository,
    private readonly clock: Clock,
  ) {}

  async plan(account: AccountScope, request: ValidatedSend, device: Device): Promise<SendPlan> {
    const durationMs = immediatePacedMs(request, device, this.config);
    const startAt = durationMs > 0 ? await this.startOf(account, request, device, durationMs) : undefined;
    return planSend(request, device, this.config, startAt);
  }

  /** Plans a send without reserving its time, which another send may take. */
  estimate(request: ValidatedSend, device: Device): SendPlan {
    const now = this.clock.now();
    const { dispatchFreeAt } = device;
    const isQueued = request.priority !== 'urgent' && dispatchFreeAt !== undefined && dispatchFreeAt > now;
    const startAt = isQueued ? dispatchFreeAt : now;
    return planSend(request, device, this.config, startAt);
  }

  /** An urgent send does not wait for the campaigns before it, which then wait for the pace of the phone. */
  private async startOf(
    account: AccountScope,
    { priority }: ValidatedSend,
    device: Device,
    durationMs: number,
  ): Promise<Date> {
    const now = this.clock.now();
    if (priority === 'urgent') return now;
    return (await this.devices.reserveTimeline(account, device._id, durationMs, now)) ?? now;
  }
}
