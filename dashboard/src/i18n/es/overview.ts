import type { Translation } from '../catalogue';

export default {
  title: 'Resumen',
} satisfies Translation['overview'];
