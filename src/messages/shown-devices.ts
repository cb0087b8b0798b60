import type { DeviceSummary } from '../devices/store/devices.repository';

/** Whether messages of a device are shown: those of a deleted one only on request, unless they are deleted with it. */
export const showsMessages = (
  { deletedAt, deletesMessages }: Pick<DeviceSummary, 'deletedAt' | 'deletesMessages'>,
  { includesDeletedDevices = false }: { readonly includesDeletedDevices?: boolean },
): boolean => !deletedAt || (includesDeletedDevices && !deletesMessages);
