import type { Translation } from '../catalogue';

export default {
  title: 'Teléfonos',
} satisfies Translation['phones'];
