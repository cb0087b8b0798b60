import type { Translation } from '../en';

export default {
  title: 'Iniciar sesión',
  email: 'Correo electrónico',
  password: 'Contraseña',
  submit: 'Iniciar sesión',
  ended:
    'Se ha cerrado su sesión: se terminó en otro lugar o ha caducado. Vuelva a entrar para seguir donde estaba; lo que escribió se conserva.',
  wrong: 'El correo electrónico o la contraseña no son correctos.',
  withLink: 'Iniciando sesión con el enlace…',
  linkInvalid:
    'Este enlace ya se ha usado o tiene más de diez minutos. Obtenga otro con «npm run admin -- sign-in-link».',
  noCookie:
    'No es posible iniciar sesión porque el proxy delante del servicio cambia la dirección de esta página ({{address}}). Debe reenviar la cabecera Host con su puerto, o use HTTPS. Un enlace de inicio de sesión queda gastado.',
  forgotten: '¿Ha olvidado su contraseña?',
  noPassword:
    '¿Aún no tiene contraseña? «npm start» muestra un enlace que inicia su sesión, y «npm run admin -- sign-in-link», otro.',
  reset: {
    title: 'Restablecer la contraseña',
    explanation: 'Le enviamos un código por correo electrónico. Introdúzcalo aquí con una contraseña nueva.',
    request: 'Enviar el código',
    sent: 'Si la cuenta existe, el código está en camino. Es válido durante quince minutos.',
    code: 'Código del correo',
    newPassword: 'Contraseña nueva',
    submit: 'Guardar la contraseña',
    done: 'Su contraseña ha cambiado. Inicie sesión con ella.',
    back: 'Volver a iniciar sesión',
  },
} satisfies Translation['signIn'];
