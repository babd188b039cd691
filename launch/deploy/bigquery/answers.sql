SELECT * EXCEPT (subscription_name, message_id, publish_time, attributes)
FROM `${table}`
QUALIFY row_number() OVER (PARTITION BY record_id ORDER BY publish_time, message_id) = 1
