import type { Device } from './device.schema';

/** What the virtual phone of the workspace `phone` registers as `model`. */
const VIRTUAL_MODEL = 'Virtual phone';

/** Whether a device is a program that behaves like a phone and sends nothing. */
export const isVirtualPhone = ({ model }: Pick<Device, 'model'>): boolean => model === VIRTUAL_MODEL;
