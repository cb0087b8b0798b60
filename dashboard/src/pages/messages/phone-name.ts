import type { DeviceResponse } from '../../../generated';

/** The owner's label of a phone, else its brand and model. */
export const phoneName = ({ name, brand, model }: Pick<DeviceResponse, 'name' | 'brand' | 'model'>): string =>
  name ?? (model.toLowerCase().startsWith(brand.toLowerCase()) ? model : `${brand} ${model}`);
