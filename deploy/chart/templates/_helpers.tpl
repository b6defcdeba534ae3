{{- define "fluxnetes.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* What finds the pods of a component: (list $ "scheduler"). */ -}}
{{- define "fluxnetes.selector" -}}
app.kubernetes.io/name: fluxnetes
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "fluxnetes.labels" -}}
{{ include "fluxnetes.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{- define "fluxnetes.pullSecrets" -}}
{{- with .Values.scheduler.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Of a pod: the number of its user. */ -}}
{{- define "fluxnetes.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "fluxnetes.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "fluxnetes.passwordSecret" -}}
{{- .Values.postgresql.existingSecret | default (printf "%s-postgresql" (include "fluxnetes.fullname" .)) -}}
{{- end -}}

{{- /* Pods that have these labels are let in to PostgreSQL. */ -}}
{{- define "fluxnetes.databaseClient" -}}
fluxnetes.io/database-client: {{ include "fluxnetes.fullname" . | quote }}
{{- end -}}

{{- /* How the database is reached, by libpq's variables and by ours. */ -}}
{{- define "fluxnetes.databaseEnv" -}}
{{- if .Values.postgresql.enabled }}
- name: FLUXNETES_DATABASE
  value: host={{ include "fluxnetes.fullname" . }}-postgresql port=5432 dbname=fluxnetes user=fluxnetes connect_timeout=5
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "fluxnetes.passwordSecret" . }}
      key: password
{{- else }}
- name: FLUXNETES_DATABASE
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret: is needed where postgresql.enabled is false; right would be the name of a Secret that holds a connection string" .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
{{- end }}
{{- end -}}

{{- /* A container of the program: (dict "root" $ "name" NAME "args" LIST). A quota of
  the namespace refuses pods of which one says no resources. */ -}}
{{- define "fluxnetes.program" -}}
- name: {{ .name }}
  image: {{ .root.Values.scheduler.image | quote }}
  imagePullPolicy: {{ .root.Values.scheduler.pullPolicy }}
  args: {{ toJson .args }}
  env: {{- include "fluxnetes.databaseEnv" .root | trim | nindent 4 }}
  {{- include "fluxnetes.containerSecurity" . | nindent 2 }}
  volumeMounts:
    - name: config
      mountPath: /etc/fluxnetes
      readOnly: true
{{- end -}}

{{- define "fluxnetes.initProgram" -}}
{{ include "fluxnetes.program" . }}
  resources: {{- toYaml .root.Values.scheduler.resources | nindent 4 }}
{{- end -}}

{{- define "fluxnetes.grpc" -}}
{{- if .Values.scheduler.enableExternalService }}
listen: 0.0.0.0:{{ .Values.scheduler.port }}
tlsCert: /etc/fluxnetes-tls/tls.crt
tlsKey: /etc/fluxnetes-tls/tls.key
clientCA: /etc/fluxnetes-tls/ca.crt
externalService: "on"
{{- else }}
listen: 127.0.0.1:{{ .Values.scheduler.port }}
{{- end }}
{{- if and .Values.scheduler.access (or .Values.scheduler.enableExternalService .Values.web.enabled) }}
access: /etc/fluxnetes/access.yaml
{{- end }}
{{- end -}}

{{- define "fluxnetes.web" -}}
listen: unix:/run/fluxnetes-web/web.sock
identity: proxy
{{- if .Values.web.ingress.enabled }}
hosts: {{ required "web.ingress.host: is needed where web.ingress.enabled is true; right would be the name by which browsers reach the pages" .Values.web.ingress.host }}
{{- if ne .Values.web.ingress.path "/" }}
prefix: {{ trimSuffix "/" .Values.web.ingress.path }}
{{- end }}
{{- end }}
{{- end -}}
