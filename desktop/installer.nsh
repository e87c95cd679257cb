; The app registers `mnemis:` links for the user when it starts; the uninstaller removes them. An update keeps them.
; Windows offers it under "Open with" for files to import, and no file's own program is changed.
!macro customInstall
!define OPEN_WITH "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}" "FriendlyAppName" "${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".zip" ""
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".json" ""
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".jsonl" ""
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".txt" ""
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".md" ""
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH}\SupportedTypes" ".pdf" ""
!undef OPEN_WITH
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\mnemis"
    DeleteRegKey SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  ${endIf}
!macroend
