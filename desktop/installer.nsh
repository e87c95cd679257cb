; The app registers `mnemis:` links for the user when it starts; the uninstaller removes them. An update keeps them.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\mnemis"
  ${endIf}
!macroend
