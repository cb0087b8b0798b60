import type { Translation } from '../catalogue';

export default {
  product: 'Messaging Gateway',
  navigation: 'Páginas',
  openNavigation: 'Abrir el menú',
  skipToContent: 'Saltar al contenido',
  palette: 'Ir a una página o acción',
  paletteHint: 'Busque o pulse /',
  nothingFound: 'No se encontró nada',
  signOut: 'Cerrar sesión',
  apiDocumentation: 'Documentación de la API',
  preferences: 'Preferencias',
  colorScheme: 'Apariencia',
  light: 'Claro',
  dark: 'Oscuro',
  automatic: 'Como el sistema',
  language: 'Idioma',
  timeZone: 'Zona horaria',
  accountMenu: 'Cuenta y preferencias',
  newMessage: 'Mensaje nuevo',
} satisfies Translation['shell'];
